// One exception type: each layer puts its noun in front, outermost first; only the runner of a series catches.
#pragma once
#include <stdexcept>
#include <string>

namespace sonde {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What was asked for is refused, and nothing else is wrong: one of the next three.
struct Refusal : Error {
    using Error::Error;
};

/// What the device or its API cannot do: a reason, not a failure. The series lands as `unsupported`.
struct Unsupported : Refusal {
    using Refusal::Refusal;
};

/// Memory, or a workgroup's resources, that the device does not have: a sweep ends there and keeps its points.
struct DoesNotFit : Refusal {
    using Refusal::Refusal;
};

/// A kernel that a compiler does not take.
struct CompileRefused : Refusal {
    using Refusal::Refusal;
};

/// What the caller wrote wrongly: one line on stderr, exit code 2.
struct UsageError : Error {
    using Error::Error;
};

/// Runs `body`; an Error that comes out of it gets "`where`: " in front and keeps its type.
template <class Body> auto in_context(const std::string& where, Body&& body) {
    try {
        return body();
    } catch (const UsageError&) {
        throw;
    } catch (const Unsupported& error) {
        throw Unsupported(where + ": " + error.what());
    } catch (const DoesNotFit& error) {
        throw DoesNotFit(where + ": " + error.what());
    } catch (const CompileRefused& error) {
        throw CompileRefused(where + ": " + error.what());
    } catch (const Error& error) {
        throw Error(where + ": " + error.what());
    }
}

} // namespace sonde
