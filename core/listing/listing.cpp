// Loops, the data flow round them, and the loads that it goes through.
#include "core/listing/listing.h"

#include <algorithm>
#include <set>

#include "core/listing/listing_syntax.h"
#include "core/listing/loops.h"

namespace sonde {

namespace {
using Indices = std::set<std::size_t>;

bool is(const Instruction& instruction, const std::regex& expression) {
    return std::regex_match(instruction.mnemonic, expression);
}

/// Who uses whose result, within one loop and round it.
class Flow {
public:
    /// A register's value is that of the nearest write before, or else of the last write in the loop, one trip earlier.
    /// With `branches` what a branch may skip waits for its condition.
    Flow(const Program& program, const Loop& loop, bool branches = false)
        : program_(program), loop_(loop), users_(loop.size()), producers_(loop.size()) {
        std::map<std::string_view, std::size_t> writer;
        for (std::size_t i = 0; i < loop.size(); ++i)
            for (const std::string& name : at(i).writes) writer[name] = i;
        for (std::size_t i = 0; i < loop.size(); ++i) {
            for (const std::string& name : at(i).reads)
                if (const auto found = writer.find(name); found != writer.end()) {
                    users_[found->second].insert(i);
                    producers_[i].insert(found->second);
                }
            for (const std::string& name : at(i).writes) writer[name] = i;
            if (is(at(i), program.syntax->load)) loads_.insert(i);
            for (std::size_t skipped = i + 1; branches && skipped < forward_target(i); ++skipped) {
                users_[i].insert(skipped);
                producers_[skipped].insert(i);
            }
        }
    }

    const Syntax& syntax() const { return *program_.syntax; }
    const Instruction& at(std::size_t i) const { return program_.instructions[loop_.first + i]; }
    const Indices& loads() const { return loads_; }
    /// Whether anything in the loop decides the load's address.
    bool varies(std::size_t i) const { return !producers_[i].empty(); }

    /// Everything that the result of `from` reaches; `stops` are reached and not passed.
    Indices reached(std::size_t from, const Indices& stops) const { return spread(users_, from, stops); }
    Indices reaching(std::size_t to, const Indices& stops) const { return spread(producers_, to, stops); }
    bool on_cycle(std::size_t i, const Indices& stops) const { return reached(i, stops).count(i) != 0; }

private:
    /// Where a branch that may not be taken leads to, if that is further down in the loop; else 0.
    std::size_t forward_target(std::size_t i) const {
        if (at(i).targets.size() != 1 || at(i).reads.empty()) return 0;
        const auto label = program_.labels.find(at(i).targets.front());
        return label != program_.labels.end() && label->second > loop_.first + i && label->second <= loop_.last
                   ? label->second - loop_.first
                   : 0;
    }

    static Indices spread(const std::vector<Indices>& edges, std::size_t from, const Indices& stops) {
        Indices seen;
        std::vector<std::size_t> open{from};
        while (!open.empty()) {
            const std::size_t i = open.back();
            open.pop_back();
            for (const std::size_t next : edges[i])
                if (seen.insert(next).second && !stops.count(next)) open.push_back(next);
        }
        return seen;
    }

    const Program& program_;
    const Loop loop_;
    std::vector<Indices> users_, producers_;
    Indices loads_;
};

/// Loads whose own next address depends on their result.
Indices chasing_loads(const Flow& flow) {
    Indices chasing;
    for (const std::size_t load : flow.loads())
        if (flow.on_cycle(load, {})) chasing.insert(load);
    return chasing;
}

/// Loads at changing addresses whose results end in a value that is carried round the loop, and that depend on no load
/// themselves.
Indices summed_loads(const Flow& flow) {
    Indices summed;
    for (const std::size_t load : flow.loads()) {
        if (!flow.varies(load) || flow.on_cycle(load, {})) continue;
        const auto is_carried = [&](std::size_t user) {
            return !flow.loads().count(user) && flow.on_cycle(user, flow.loads());
        };
        if (std::ranges::any_of(flow.reached(load, flow.loads()), is_carried)) summed.insert(load);
    }
    return summed;
}

std::string class_of(const Program& program, const Instruction& load) {
    const Syntax& syntax = *program.syntax;
    std::string result = load.mnemonic;
    for (const auto& [expression, replacement] : syntax.load_class)
        result = std::regex_replace(result, expression, replacement);
    for (const Instruction& other : program.instructions) {
        std::smatch found;
        if (std::ranges::find_first_of(other.writes, load.reads) == other.writes.end() ||
            !std::regex_search(other.operands, found, syntax.storage))
            continue;
        result += " " + found[1].str();
        break;
    }
    std::set<std::string> flags;
    for (std::sregex_iterator flag(load.operands.begin(), load.operands.end(), syntax.load_flags), end; flag != end;
         ++flag)
        if (flags.insert(flag->str()).second) result += " " + flag->str();
    return result;
}

/// What lies on the way from one load of the chain to the next, in the listing's order.
std::vector<std::string> lines_between(
    const Program& program, const Flow& flow, std::size_t load, const Indices& chain) {
    const Indices ahead = flow.reached(load, chain);
    // The next load of the chain: behind this one, or, where this is the last copy, the first that it reaches.
    std::size_t next = load;
    for (const std::size_t candidate : chain)
        if (ahead.count(candidate) && (next == load || (next < load && candidate > load))) next = candidate;
    std::vector<std::string> lines;
    const Indices behind = flow.reaching(next, chain);
    for (const std::size_t i : ahead)
        if (behind.count(i) && !chain.count(i) && !is(flow.at(i), program.syntax->bookkeeping))
            lines.push_back(flow.at(i).line);
    return lines;
}

struct Found {
    Loop loop{};
    Indices loads;
};

/// The innermost loop with most of the loads that `wanted` picks; of equals the later one.
Found best_loop(const Program& program, Indices (*wanted)(const Flow&)) {
    Found best;
    std::vector<Loop> taken;
    for (const Loop& loop : loops_of(program)) {
        if (std::any_of(taken.begin(), taken.end(), [&](const Loop& inner) { return loop.holds(inner); })) continue;
        Indices loads = wanted(Flow(program, loop));
        if (loads.empty()) continue;
        taken.push_back(loop);
        if (loads.size() > best.loads.size() || (loads.size() == best.loads.size() && loop.first > best.loop.first))
            best = {loop, std::move(loads)};
    }
    return best;
}

std::optional<LoadInstruction> load_in(
    std::string_view kind, std::string_view listing, Indices (*wanted)(const Flow&), bool chain) {
    const Syntax* syntax = find_syntax(kind, listing);
    if (!syntax) return std::nullopt;
    const Program program = read_listing(*syntax, listing);
    const Found found = best_loop(program, wanted);
    if (found.loads.empty()) return std::nullopt;
    const Flow flow(program, found.loop);
    const std::size_t first = *found.loads.begin();
    const Instruction& instruction = flow.at(first);
    LoadInstruction load{.mnemonic = instruction.mnemonic,
        .line = instruction.line,
        .kind = class_of(program, instruction),
        .line_number = instruction.line_number,
        .copies = found.loads.size()};
    for (std::size_t i = 0; i < found.loop.size(); ++i) load.readfirstlane_in_loop |= is(flow.at(i), syntax->one_lane);
    if (chain) load.between = lines_between(program, Flow(program, found.loop, true), first, found.loads);
    return load;
}

/// The mnemonic of the nearest instruction before the atomic at `at` that counts or adds up lanes and that its
/// operands, its predicate or a branch over it depend on; or empty.
std::string joined_by(const Flow& flow, std::size_t at) {
    std::string mnemonic;
    for (const std::size_t before : flow.reaching(at, {}))
        if (before < at && is(flow.at(before), flow.syntax().joins_lanes)) mnemonic = flow.at(before).mnemonic;
    return mnemonic;
}
} // namespace

std::optional<LoadInstruction> find_load(std::string_view kind, std::string_view listing) {
    return load_in(kind, listing, chasing_loads, true);
}

std::optional<LoadInstruction> find_summed_load(std::string_view kind, std::string_view listing) {
    return load_in(kind, listing, summed_loads, false);
}

std::vector<AtomicInstruction> find_atomics(std::string_view kind, std::string_view listing) {
    const Syntax* syntax = find_syntax(kind, listing);
    if (!syntax) return {};
    const Program program = read_listing(*syntax, listing);
    std::optional<Flow> flow; // of the whole listing, which few need
    std::vector<AtomicInstruction> atomics;
    for (auto at = program.instructions.begin(); at != program.instructions.end(); ++at) {
        if (!is(*at, syntax->atomic)) continue;
        const auto next = std::find_if(
            at + 1, program.instructions.end(), [&](const Instruction& after) { return !is(after, syntax->wait); });
        const bool controls = next != program.instructions.end() && is(*next, syntax->cache_control);
        if (!flow) flow.emplace(program, Loop{0, program.instructions.size() - 1}, true);
        atomics.push_back({.mnemonic = at->mnemonic,
            .line = at->line,
            .line_number = at->line_number,
            .cache_control = controls ? next->mnemonic : "",
            .lock_loop = is(*at, syntax->lock),
            .combined_by = joined_by(*flow, static_cast<std::size_t>(at - program.instructions.begin()))});
    }
    return atomics;
}

std::vector<AtomicInstruction> count_atomics(std::string_view kind, std::string_view listing) {
    std::vector<AtomicInstruction> counted;
    for (const AtomicInstruction& each : find_atomics(kind, listing)) {
        const auto same = std::ranges::find_if(counted, [&](const AtomicInstruction& other) {
            return other.mnemonic == each.mnemonic && other.cache_control == each.cache_control &&
                   other.combined_by == each.combined_by;
        });
        if (same == counted.end()) counted.push_back(each);
        else ++same->copies;
    }
    std::ranges::stable_sort(counted, std::greater(), &AtomicInstruction::copies);
    return counted;
}

std::size_t count_instructions(std::string_view kind, std::string_view listing) {
    const Syntax* syntax = find_syntax(kind, listing);
    if (!syntax) return 0;
    const Program program = read_listing(*syntax, listing);
    return static_cast<std::size_t>(std::ranges::count_if(program.instructions,
        [](const Instruction& each) { return each.mnemonic != "NOP" && each.mnemonic != "s_nop"; }));
}

std::map<std::string, std::size_t> count_loop(std::string_view kind, std::string_view listing) {
    std::map<std::string, std::size_t> counts;
    const Syntax* syntax = find_syntax(kind, listing);
    if (!syntax) return counts;
    const Program program = read_listing(*syntax, listing);
    const std::vector<Loop> loops = loops_of(program);
    if (loops.empty()) return counts;
    for (std::size_t i = loops.back().first; i <= loops.back().last; ++i) ++counts[program.instructions[i].mnemonic];
    return counts;
}

std::size_t counted(const std::map<std::string, std::size_t>& loop, std::string_view mnemonic) {
    const Expression expression(std::string(mnemonic).c_str());
    std::size_t count = 0;
    for (const auto& [name, times] : loop)
        if (std::regex_match(name, expression)) count += times;
    return count;
}

std::optional<double> bytes_per_instruction(std::string_view kind, std::string_view listing) {
    const Syntax* syntax = find_syntax(kind, listing);
    if (!syntax) return std::nullopt;
    std::vector<unsigned long long> addresses;
    for (std::size_t begin = 0, end = 0; begin < listing.size(); begin = end + 1) {
        end = std::min(listing.find('\n', begin), listing.size());
        std::cmatch found;
        if (std::regex_search(listing.data() + begin, listing.data() + end, found, syntax->address))
            addresses.push_back(std::stoull(found[1], nullptr, 16));
    }
    if (addresses.size() < 2 || addresses.back() <= addresses.front()) return std::nullopt;
    return static_cast<double>(addresses.back() - addresses.front()) / static_cast<double>(addresses.size() - 1);
}

} // namespace sonde
