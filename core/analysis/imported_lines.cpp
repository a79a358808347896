// Fits lines to shapes, and gathers what they mean.
#include "core/analysis/imported_lines.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/analysis/curve_text.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::size_t kLongestLine = 4096, kMostDevices = 1024;
constexpr std::string_view kBetween = " \t\r|:=,;()[]\"%";

struct Word {
    std::string text; // in lower case
    std::size_t at;   // in the line
};

std::vector<Word> line_words(std::string_view line) {
    std::vector<Word> words;
    line = line.substr(0, kLongestLine);
    for (std::size_t at = 0; (at = line.find_first_not_of(kBetween, at)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
        words.push_back({lower_case(line.substr(at, end - at)), at});
        at = end;
    }
    return words;
}

std::optional<double> number_in(const Word& word) {
    const auto number = leading_number(word.text);
    return number && number->rest.empty() ? std::optional(number->value) : std::nullopt;
}

/// What the marks of a shape stand for in a line.
struct Fit {
    double value = 0, place = 0;
    std::size_t rest = std::string::npos; // where in the line "..." begins
};

bool fits(std::span<const Word> shape, std::span<const Word> line, Fit& fit) {
    if (shape.empty()) return line.empty();
    if (shape[0].text == "...") {
        fit.rest = line.empty() ? std::string::npos : line[0].at;
        if (shape.size() == 1) return true;
        for (std::size_t skipped = 0; skipped <= line.size(); ++skipped)
            if (fits(shape.subspan(1), line.subspan(skipped), fit)) return true;
        return false;
    }
    if (line.empty()) return false;
    const std::string& mark = shape[0].text;
    if (mark == "#" || mark == "@" || mark == "~") {
        const auto number = number_in(line[0]);
        if (!number.has_value()) return false;
        if (mark == "#") fit.value = number.value();
        if (mark == "@") fit.place = number.value();
    } else if (mark != "?" && mark != line[0].text) return false;
    return fits(shape.subspan(1), line.subspan(1), fit);
}

std::optional<Fit> fit_of(const std::vector<Word>& shape, const std::vector<Word>& line) {
    Fit fit;
    return fits(shape, line, fit) ? std::optional(fit) : std::nullopt;
}

/// A shape by words, so that a file of many lines takes no long time.
struct ReadyShape {
    const LineShape* shape;
    std::vector<Word> words, under;
};

class LineReader {
public:
    LineReader(const LineTool& tool, const ImportSource& source)
        : tool_(tool), text_(lines_of(source.text, source.path)), file_(tool.name, source) {
        for (const LineShape& shape : tool.shapes)
            shapes_.push_back({&shape, line_words(shape.words), line_words(shape.under)});
    }

    std::optional<ImportedFile> read() {
        UnreadLines unread;
        bool known = false;
        std::vector<std::vector<Word>> marks;
        for (const std::string& mark : tool_.known_by) marks.push_back(line_words(mark));
        for (std::size_t i = 0; i < text_.lines.size(); ++i) {
            const std::vector<Word> words = line_words(text_.lines[i]);
            if (is_blank(text_.lines[i])) continue;
            known =
                known || std::ranges::any_of(marks, [&](const auto& mark) { return fit_of(mark, words).has_value(); });
            if (!take(words, text_.lines[i])) unread.add(i);
        }
        if (!known) return std::nullopt;
        for (auto& [key, curve] : curves_) add(curve);
        file_.leave_lines(text_, unread);
        return std::move(file_);
    }

private:
    struct Curve {
        const LineShape* shape;
        std::size_t device;
        std::map<double, double> values; // by place
    };

    bool take(const std::vector<Word>& words, std::string_view line) {
        bool taken = false;
        for (const ReadyShape& ready : shapes_) {
            if (!ready.under.empty() && !fit_of(ready.under, under_)) continue;
            const auto fit = fit_of(ready.words, words);
            if (!fit || (taken && ready.shape->means != Means::value)) continue;
            taken = true;
            mean(*ready.shape, ready, *fit, words, line);
            if (ready.shape->means != Means::value) break;
        }
        return taken;
    }

    void mean(const LineShape& shape, const ReadyShape& ready, const Fit& fit, const std::vector<Word>& words,
        std::string_view line) {
        const std::string rest(
            fit.rest == std::string::npos ? std::string_view() : trimmed(line.substr(fit.rest), " \t\r|"));
        switch (shape.means) {
        case Means::value:
            return take_value(shape, ready, fit, quantity_of(words));
        case Means::objection:
            return file_.leave_out(shape.objection, quantity_of(words));
        case Means::heading:
            heading_ = words, subheading_.clear();
            break;
        case Means::subheading:
            subheading_ = words;
            break;
        case Means::device:
            if (devices_ < kMostDevices) device_ = file_.add_device(api_, rest, driver_), ++devices_;
            break;
        case Means::driver:
            driver_ = rest;
            if (device_) file_.set_driver(*device_, rest);
            break;
        case Means::cores:
            if (fit.value > 0 && fit.value < 1e6) file_.device(device()).cores = static_cast<std::uint32_t>(fit.value);
            break;
        case Means::api:
            api_ = word_of(rest);
            break;
        case Means::restart:
            device_.reset(), driver_.clear(), api_ = tool_.api;
            break;
        case Means::clock:
            clock_mhz_ = number_in(words.back()).value_or(0);
            break;
        case Means::note:
            break;
        }
        under_ = heading_;
        under_.insert(under_.end(), subheading_.begin(), subheading_.end());
    }

    /// The line's words in front of its first number.
    static std::string quantity_of(const std::vector<Word>& words) {
        std::string quantity;
        for (const Word& word : words) {
            if (number_in(word)) break;
            quantity += (quantity.empty() ? "" : " ") + word.text;
        }
        return quantity;
    }

    std::size_t device() {
        if (!device_) device_ = file_.add_untold_device(api_, tool_.kind);
        return *device_;
    }

    void take_value(const LineShape& shape, const ReadyShape& ready, const Fit& fit, std::string quantity) {
        if (quantity.empty()) // a row of a table
            for (const Word& word : under_) quantity += (quantity.empty() ? "" : " ") + word.text;
        const double value = fit.value * shape.factor * (shape.per_clock ? clock_mhz_ / 1000 : 1);
        const bool has_place = std::ranges::any_of(ready.words, [](const Word& word) { return word.text == "@"; });
        if (!has_place)
            return file_.add_figure(device(), shape.question, quantity, shape.level, value,
                std::string(shape.question.probe->unit_of(shape.question.options)));
        if (!(value > 0 && std::isfinite(value)) || !(fit.place > 0 && std::isfinite(fit.place)))
            return file_.leave_out("no values that can be measured", quantity);
        auto& curve = curves_.try_emplace({device(), &shape}, Curve{&shape, device(), {}}).first->second;
        double& there = curve.values[fit.place * shape.place_factor];
        there = std::max(there, value);
    }

    void add(const Curve& curve) {
        const double highest = curve.values.rbegin()->first;
        std::vector<Point> points;
        for (const auto& [place, value] : curve.values)
            points.push_back(
                {.x = curve.shape->of_highest ? place / highest * 100 : place, .median = value, .samples = {}});
        file_.add_curve(curve.device, curve.shape->question, curve.shape->words, std::move(points));
    }

    const LineTool& tool_;
    CurveText text_;
    ImportedFile file_;
    std::vector<ReadyShape> shapes_;
    std::vector<Word> heading_, subheading_, under_;
    std::optional<std::size_t> device_;
    std::size_t devices_ = 0;
    std::string api_ = tool_.api, driver_;
    double clock_mhz_ = 0;
    std::map<std::pair<std::size_t, const LineShape*>, Curve> curves_;
};
} // namespace

std::optional<ImportedFile> read_lines(const LineTool& tool, const ImportSource& source) {
    return LineReader(tool, source).read();
}

} // namespace sonde
