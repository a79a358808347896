// A card's series in the order in which a run measures them, and what is known of those left.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sonde {

class Lane {
public:
    Lane(std::string of_card, std::size_t of_progress) : card(std::move(of_card)), line(of_progress) {}

    void add(std::size_t place) { order_.push_back(place); }
    /// The place in the plan of the series that comes `ahead` behind the next one.
    std::size_t place(std::size_t ahead = 0) const { return order_[done_ + ahead]; }
    std::size_t done() const { return done_; }
    std::size_t size() const { return order_.size(); }
    std::size_t left() const { return order_.size() - done_; }
    /// Which part of those left will measure, as far as those done show it.
    double part_to_measure() const {
        return 1 - static_cast<double>(unsupported_) / static_cast<double>(std::max(done_, kFewestDone));
    }
    /// Seconds that the next one had when time cut its sweep short; 0: it is measured for the first time.
    double had_seconds() const {
        return done_ < first_pass_ || first_pass_ == 0 ? 0 : cut_[done_ - first_pass_].seconds;
    }

    void end_unsupported() { ++unsupported_; }
    /// Time cut the sweep of the next one short, which could take that many seconds: it is measured again behind all
    /// others.
    void end_cut_short(double seconds) { cut_.push_back({place(), seconds}); }
    void advance() {
        if (++done_ < order_.size() || first_pass_ > 0) return;
        first_pass_ = order_.size();
        for (const Cut& each : cut_) order_.push_back(each.place);
    }

    std::string card;
    std::size_t line;                   // of the progress
    double seconds_behind = 0;          // that processors' series, which wait for the cards, are expected to take
    std::optional<double> busy_until{}; // when its last series ended, of whichever API, by steady_seconds()

private:
    static constexpr std::size_t kFewestDone = 10; // series, of which some were unsupported, that speak of those left
    struct Cut {
        std::size_t place;
        double seconds;
    };
    std::vector<std::size_t> order_{}; // places in the plan
    std::vector<Cut> cut_{};
    std::size_t done_ = 0, unsupported_ = 0;
    std::size_t first_pass_ = 0; // how many there were before those that come again; 0: it is not over
};

} // namespace sonde
