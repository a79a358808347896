// What workers say, and what became of them.
#include "core/run/supervise.h"

#include <fmt/format.h>

namespace sonde {

namespace {
/// Throws Json::exception where a field that others rely on is not there.
DeviceRecord device_record(const Json& event) {
    DeviceRecord record{event.at("info"), event.at("paths")};
    for (const char* field : {"id", "api", "name", "driver", "uuid", "pci"}) record.info.at(field).get<std::string>();
    for (const char* field : {"cpu", "software", "core_cycles"}) record.info.at(field).get<bool>();
    for (const Json& path : record.paths) path.at("path").get<std::string>(), path.at("supported").get<bool>(), path.at("reason").get<std::string>();
    return record;
}
} // namespace

WorkerClient::WorkerClient(std::string api, std::vector<std::string> command, double silence_seconds)
    : api_(std::move(api)), command_(std::move(command)), silence_seconds_(silence_seconds) {}

std::string WorkerClient::trouble_text(const std::string& what) {
    std::string text = fmt::format("the {} worker {}", api_, what);
    if (!last_step_.empty()) text += fmt::format("; its last step was: {}", last_step_);
    if (const std::string words = child_ ? child_->last_line() : ""; !words.empty()) text += fmt::format("; it said: {}", words);
    child_.reset();
    return text;
}

/// The next event but steps, which are noted; nullopt and the reason when the worker is lost.
std::optional<Json> WorkerClient::listen(std::string& trouble) {
    for (;;) {
        std::string line;
        switch (child_->next(line, silence_seconds_)) {
        case ChildProcess::Event::interrupted: trouble = trouble_text("was stopped: interrupted"); return std::nullopt;
        case ChildProcess::Event::silence: trouble = trouble_text(fmt::format("hung: no output for {:g} s, so it was killed", silence_seconds_)); return std::nullopt;
        case ChildProcess::Event::flood: trouble = trouble_text("printed rubbish: a line without an end"); return std::nullopt;
        case ChildProcess::Event::ended: trouble = trouble_text(child_->ending()); return std::nullopt;
        case ChildProcess::Event::line: break;
        }
        Json event = Json::parse(line, nullptr, false);
        if (!event.is_object() || !event.contains("event") || !event["event"].is_string()) {
            trouble = trouble_text(fmt::format("printed rubbish: {}", Json(line.substr(0, 60)).dump(-1, ' ', true, Json::error_handler_t::replace)));
            return std::nullopt;
        }
        if (event["event"] != "step") return event;
        last_step_ = event.value("text", "");
    }
}

void WorkerClient::start() {
    failed_ = false;
    last_step_.clear();
    absent_.clear();
    try {
        child_ = std::make_unique<ChildProcess>(command_);
    } catch (const Error& error) {
        absent_ = error.what();
        failed_ = true;
    }
}

void WorkerClient::hear() {
    if (!child_) return;
    std::vector<DeviceRecord> devices;
    std::string trouble;
    try {
        while (const auto event = listen(trouble)) {
            const std::string kind = event->at("event");
            if (kind == "hello") host_ = event->at("host");
            if (kind == "device") devices.push_back(device_record(*event));
            if (kind == "absent") absent_ = event->at("reason");
            if (kind == "ready") {
                devices_ = std::move(devices);
                return;
            }
        }
    } catch (const std::exception& error) { // an event without its fields
        trouble = trouble_text(fmt::format("printed rubbish: {}", error.what()));
    }
    absent_ = trouble;
    failed_ = true;
}

Outcome WorkerClient::ask(const Json& request, const OnEvent& on_event) {
    if (!child_) {
        start();
        hear();
    }
    if (!child_) return {Status::failed, absent_, {}};
    last_step_.clear();
    if (!child_->send(request.dump() + "\n", silence_seconds_)) return {Status::failed, trouble_text(child_->ending()), {}};
    std::string trouble;
    try {
        while (const auto event = listen(trouble)) {
            const std::string kind = event->at("event");
            if (kind == "done") {
                const auto status = status_of(event->at("status").get<std::string>());
                if (!status) throw Error("an unknown status");
                return {*status, event->at("reason"), event->at("evidence")};
            }
            on_event(kind, *event);
        }
    } catch (const std::exception& error) { // an event without its fields
        trouble = trouble_text(fmt::format("printed rubbish: {}", error.what()));
    }
    return {Status::failed, trouble, {}};
}

Outcome WorkerClient::measure(const Request& request, const OnSamples& on_samples) {
    const Json line = {{"request", "series"},           {"probe", request.id.probe}, {"device", request.id.device},
                       {"path", request.id.path},       {"options", request.id.options}, {"profile", request.profile},
                       {"seconds", request.seconds},    {"seed", request.seed},     {"dispatch_limit_ms", request.dispatch_limit_ms},
                       {"cache_bytes", request.cache_bytes}};
    return ask(line, [&](const std::string& kind, const Json& event) {
        if (kind != "samples") return;
        std::vector<Sample> samples;
        for (const Json& sample : event.at("samples")) samples.push_back(sample_from(sample));
        on_samples(event.at("x"), std::move(samples));
    });
}

CompiledListing WorkerClient::listing(const SeriesId& id) {
    CompiledListing compiled;
    const Json line = {{"request", "listing"}, {"probe", id.probe}, {"device", id.device}, {"path", id.path}, {"options", id.options}};
    compiled.outcome = ask(line, [&](const std::string& kind, const Json& event) {
        if (kind != "listing") return;
        compiled.kernel = event.at("kernel");
        compiled.group_size = event.at("group_size");
        compiled.chases = event.at("chases");
        compiled.atomic = event.at("atomic");
        compiled.listing = {event.at("kind"), event.at("text")};
    });
    return compiled;
}

} // namespace sonde
