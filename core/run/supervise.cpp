// What workers say, and what became of them.
#include "core/run/supervise.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.h"
#include "core/run/host_limits.h"

namespace sonde {

WorkerClient::WorkerClient(std::string api, std::vector<std::string> command, double silence_seconds)
    : api_(std::move(api)), command_(std::move(command)), silence_seconds_(silence_seconds) {}

namespace {
/// "opencl:1.0" of "opencl:0.0" and 1.
std::string renumbered(const std::string& id, std::ptrdiff_t by) {
    const std::size_t begin = id.find(':') + 1, end = std::min(id.find('.', begin), id.size());
    const std::ptrdiff_t number = std::atoll(id.substr(begin, end - begin).c_str());
    return fmt::format("{}{}{}", id.substr(0, begin), number + by, id.substr(end));
}
} // namespace

WorkerClient WorkerClient::another(const std::vector<std::string>& words) const {
    WorkerClient client(api_, command_, silence_seconds_);
    client.command_.insert(client.command_.end(), words.begin(), words.end());
    client.first_number_ = first_number_;
    return client;
}

std::size_t WorkerClient::number_from(std::size_t first) {
    std::set<std::string> numbers;
    for (DeviceEvent& device : devices_) {
        device.info.id = renumbered(device.info.id, static_cast<std::ptrdiff_t>(first));
        numbers.insert(device.info.id.substr(0, device.info.id.find('.')));
    }
    first_number_ = first;
    return numbers.size();
}

std::string WorkerClient::trouble_text(const std::string& what) {
    std::string text = fmt::format("the {} worker {}", api_, what);
    if (!last_step_.empty()) text += fmt::format("; its last step was: {}", last_step_);
    if (const std::string words = child_ ? child_->last_line() : ""; !words.empty())
        text += fmt::format("; it said: {}", words);
    child_.reset();
    return text;
}

std::string WorkerClient::ended_text() {
    std::string what = child_->ending();
    if (what.ends_with("SIGKILL")) what += why_killed(kills_, kills_for_memory(), process_limits().memory_bytes);
    return trouble_text(what);
}

/// Hands on each event but steps, which are noted, until one is the last; empty then, else what became of the worker.
std::string WorkerClient::listen(const std::function<bool(const Json& event)>& is_last, double patience) {
    const double silence = patience * silence_seconds_;
    for (std::string line;;) {
        switch (child_->next(line, silence)) {
        case ChildProcess::Event::interrupted:
            return trouble_text("was stopped: interrupted");
        case ChildProcess::Event::silence:
            return trouble_text(fmt::format("hung: no output for {:g} s, so it was killed", silence));
        case ChildProcess::Event::flood:
            return trouble_text("wrote invalid output: a line without an end");
        case ChildProcess::Event::ended:
            return ended_text();
        case ChildProcess::Event::line:
            break;
        }
        const Json event = read_json(line);
        try {
            if (text_field(event, "event").empty()) throw Error(json_text(line.substr(0, 60), JsonForm::ascii));
            if (const auto step = event_in<StepEvent>(event)) last_step_ = step->text;
            else if (event_in<PreparedEvent>(event)) preparing_ -= preparing_ > 0;
            else if (is_last(event)) return "";
        } catch (const std::exception& error) { // an event without its fields
            return trouble_text(fmt::format("wrote invalid output: {}", error.what()));
        }
    }
}

void WorkerClient::start() {
    failed_ = false;
    last_step_.clear();
    absent_.clear();
    prepared_.clear();
    preparing_ = 0;
    kills_ = kills_for_memory();
    try {
        child_ = std::make_unique<ChildProcess>(command_);
    } catch (const Error& error) {
        absent_ = error.what();
        failed_ = true;
    }
}

void WorkerClient::hear(double patience) {
    if (!child_) return;
    std::vector<DeviceEvent> devices;
    const std::string trouble = listen(
        [&](const Json& event) {
            if (const auto hello = event_in<HelloEvent>(event)) host_ = hello->host;
            if (auto device = event_in<DeviceEvent>(event)) devices.push_back(std::move(*device));
            if (const auto absent = event_in<AbsentEvent>(event)) absent_ = absent->reason;
            return event_in<ReadyEvent>(event).has_value();
        },
        patience);
    failed_ = !trouble.empty();
    if (failed_) absent_ = trouble;
    else devices_ = std::move(devices);
}

bool WorkerClient::send(const Request& request) {
    Request own = request;
    if (first_number_ > 0) own.id.device = renumbered(request.id.device, -static_cast<std::ptrdiff_t>(first_number_));
    return child_->send(json_text(own) + "\n", silence_seconds_);
}

void WorkerClient::prepare(Request request) {
    request.kind = RequestKind::prepare;
    if (child_ && prepared_.insert(request.id.text()).second && send(request)) ++preparing_;
}

void WorkerClient::settle(const std::string& device) {
    Request request{.kind = RequestKind::settle, .id = {}};
    request.id.device = device;
    if (child_) ask(request, [](const Json&) {});
    prepared_.clear();
    preparing_ = 0;
}

Outcome WorkerClient::ask(const Request& request, const std::function<void(const Json& event)>& on_event) {
    for (;;) {
        if (!child_) {
            start();
            hear();
        }
        if (!child_) return {Status::failed, absent_};
        last_step_.clear();
        const bool preparing = preparing_ > 0;
        bool begun = false;
        Outcome outcome;
        const std::string trouble = !send(request) ? ended_text() : listen([&](const Json& event) {
            begun = true;
            on_event(event);
            auto done = event_in<Outcome>(event);
            if (done) outcome = std::move(*done);
            return done.has_value();
        });
        if (trouble.empty()) return outcome;
        if (begun || !preparing) return {Status::failed, trouble};
        // what it was preparing may be the cause, and that series will tell: a new worker gets this one
    }
}

Outcome WorkerClient::measure(const Request& request, const OnSamples& on_samples) {
    return ask(request, [&](const Json& event) {
        if (auto taken = event_in<SamplesEvent>(event)) on_samples(taken->x, std::move(taken->samples));
    });
}

CompiledListing WorkerClient::listing(const SeriesId& id) {
    CompiledListing compiled;
    compiled.outcome = ask({.kind = RequestKind::listing, .id = id}, [&](const Json& event) {
        if (auto shown = event_in<ListingEvent>(event)) static_cast<ListingEvent&>(compiled) = std::move(*shown);
    });
    return compiled;
}

} // namespace sonde
