// Both sides of a question to a driver.
#include "core/run/ask_driver.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/process.h"
#include "core/run/worker.h"

namespace sonde {

Json ask_driver(const std::string& program, std::string_view question, const std::string& argument, double seconds) {
    const auto trouble = [](const std::string& what) { return Json{{"trouble", what}}; };
    try {
        ChildProcess child({program, "ask", std::string(question), argument});
        child.end_input();
        std::string line;
        switch (child.next(line, seconds)) {
        case ChildProcess::Event::line: {
            const Json answer = read_json(line);
            return answer.is_object() ? answer : trouble("gave an answer that is none");
        }
        case ChildProcess::Event::silence:
            return trouble(fmt::format("hung: no answer for {:g} s", seconds));
        case ChildProcess::Event::flood:
            return trouble("gave an answer without an end");
        case ChildProcess::Event::interrupted:
            throw Error("interrupted");
        case ChildProcess::Event::ended:
            break;
        }
        const std::string how = child.ending(), said = child.last_line();
        return trouble(fmt::format("{}{}{}", how, said.empty() ? "" : "; it said: ", said));
    } catch (const Error& error) {
        if (stop_asked) throw;
        return trouble(error.what());
    }
}

int answer_question(std::span<const DriverQuestion> questions, const std::string& name, const std::string& argument) {
    const auto asked =
        std::find_if(questions.begin(), questions.end(), [&](const DriverQuestion& each) { return each.name == name; });
    if (asked == questions.end()) throw UsageError(fmt::format("no question '{}'", name));
    end_with_parent();
    File out = File::standard_output_alone(); // drivers print
    send_line(out, asked->answer(argument));
    std::_Exit(0); // what the library does when a program ends is not the question
}

} // namespace sonde
