// Which fields nobody told.
#include "core/device/telemetry.h"

#include <functional>

#include "core/device/telemetry_fields.h"

namespace sonde {

namespace {
template <class T> void name_all_absent(const T& read, const char* why, AbsentFields& absent) {
    std::apply(
        [&](const auto&... field) {
            (void(std::invoke(field.at, read) || absent.emplace(field.name, why).second), ...);
        },
        fields_of<T>);
}
} // namespace

void name_absent(const CardSample& read, const char* why, AbsentFields& absent) { name_all_absent(read, why, absent); }
void name_absent(const CardState& read, const char* why, AbsentFields& absent) { name_all_absent(read, why, absent); }

} // namespace sonde
