// What workers say, and what became of them.
#include "core/run/supervise.h"

#include <utility>

#include <fmt/format.h>

namespace sonde {

WorkerClient::WorkerClient(std::string api, std::vector<std::string> command, double silence_seconds)
    : api_(std::move(api)), command_(std::move(command)), silence_seconds_(silence_seconds) {}

std::string WorkerClient::trouble_text(const std::string& what) {
    std::string text = fmt::format("the {} worker {}", api_, what);
    if (!last_step_.empty()) text += fmt::format("; its last step was: {}", last_step_);
    if (const std::string words = child_ ? child_->last_line() : ""; !words.empty()) text += fmt::format("; it said: {}", words);
    child_.reset();
    return text;
}

/// Hands on each event but steps, which are noted, until one is the last; empty then, else what became of the worker.
std::string WorkerClient::listen(const OnEvent& is_last) {
    for (std::string line;;) {
        switch (child_->next(line, silence_seconds_)) {
        case ChildProcess::Event::interrupted: return trouble_text("was stopped: interrupted");
        case ChildProcess::Event::silence: return trouble_text(fmt::format("hung: no output for {:g} s, so it was killed", silence_seconds_));
        case ChildProcess::Event::flood: return trouble_text("wrote invalid output: a line without an end");
        case ChildProcess::Event::ended: return trouble_text(child_->ending());
        case ChildProcess::Event::line: break;
        }
        const Json event = Json::parse(line, nullptr, false);
        const std::string kind = text_field(event, "event");
        try {
            if (kind.empty()) throw Error(Json(line.substr(0, 60)).dump(-1, ' ', true, Json::error_handler_t::replace));
            if (kind == "step") last_step_ = event.value("text", "");
            else if (kind == "prepared") preparing_ -= preparing_ > 0;
            else if (is_last(kind, event)) return "";
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
    try {
        child_ = std::make_unique<ChildProcess>(command_);
    } catch (const Error& error) {
        absent_ = error.what();
        failed_ = true;
    }
}

void WorkerClient::hear() {
    if (!child_) return;
    std::vector<DeviceEvent> devices;
    const std::string trouble = listen([&](const std::string& kind, const Json& event) {
        if (kind == "hello") host_ = event.at("host");
        if (kind == "device") devices.push_back(event.get<DeviceEvent>());
        if (kind == "absent") absent_ = event.at("reason");
        return kind == "ready";
    });
    failed_ = !trouble.empty();
    if (failed_) absent_ = trouble;
    else devices_ = std::move(devices);
}

bool WorkerClient::send(const char* what, const Request& request) {
    Json line = request;
    line["request"] = what;
    return child_->send(line.dump() + "\n", silence_seconds_);
}

void WorkerClient::prepare(const Request& request) {
    if (child_ && prepared_.insert(request.id.text()).second && send("prepare", request)) ++preparing_;
}

void WorkerClient::settle(const std::string& device) {
    Request request;
    request.id.device = device;
    if (child_) ask("settle", request, [](const std::string&, const Json&) {});
    prepared_.clear();
    preparing_ = 0;
}

Outcome WorkerClient::ask(const char* what, const Request& request, const std::function<void(const std::string& kind, const Json& event)>& on_event) {
    for (;;) {
        if (!child_) {
            start();
            hear();
        }
        if (!child_) return {Status::failed, absent_, {}};
        last_step_.clear();
        const bool preparing = preparing_ > 0;
        bool begun = false;
        Outcome outcome;
        const std::string trouble = !send(what, request) ? trouble_text(child_->ending()) : listen([&](const std::string& kind, const Json& event) {
            begun = true;
            on_event(kind, event);
            if (kind != "done") return false;
            outcome = event.get<Outcome>();
            return true;
        });
        if (trouble.empty()) return outcome;
        if (begun || !preparing) return {Status::failed, trouble, {}};
        // what it was preparing may be the cause, and that series will tell: a new worker gets this one
    }
}

Outcome WorkerClient::measure(const Request& request, const OnSamples& on_samples) {
    return ask("series", request, [&](const std::string& kind, const Json& event) {
        if (kind == "samples") on_samples(event.at("x"), event.at("samples").get<std::vector<Sample>>());
    });
}

CompiledListing WorkerClient::listing(const SeriesId& id) {
    CompiledListing compiled;
    compiled.outcome = ask("listing", {.id = id}, [&](const std::string& kind, const Json& event) {
        if (kind != "listing") return;
        compiled.kernel = event.at("kernel");
        compiled.group_size = event.at("group_size");
        compiled.chases = event.at("chases");
        compiled.atomic = event.at("atomic");
        compiled.listing = {event.at("kind"), event.at("text"), event.at("note")};
        compiled.step_instructions = event.at("step_instructions").get<std::map<std::string, double>>();
    });
    return compiled;
}

} // namespace sonde
