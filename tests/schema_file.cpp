// Apart, since valijson takes long to compile.
#include "tests/schema_file.h"
#include "tests/places.h"

#include <filesystem>

#include <fmt/format.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "core/base/file.h"
#include "tests/command.h"

namespace sonde {

struct SchemaFile::Parsed {
    nlohmann::json json{};
    valijson::Schema schema{};
};

SchemaFile::SchemaFile(const std::string& name) : parsed_(std::make_unique<Parsed>()) {
    parsed_->json = nlohmann::json::parse(command::text_of(std::filesystem::path(places::source) / "results" / name));
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(parsed_->json), parsed_->schema);
}
SchemaFile::~SchemaFile() = default;

std::string SchemaFile::complaint(const std::string& text) const {
    const auto object = nlohmann::json::parse(text);
    valijson::ValidationResults results;
    if (valijson::Validator().validate(parsed_->schema, valijson::adapters::NlohmannJsonAdapter(object), &results))
        return "";
    valijson::ValidationResults::Error error;
    results.popError(error);
    return error.description;
}

std::string schema_complaint(const std::string& file, int most) {
    const SchemaFile schema("schema.json");
    const auto in = open_to_read(file);
    int number = 0;
    for (std::string line; number < most && std::getline(*in, line);) {
        ++number;
        if (const std::string complaint = schema.complaint(line); !complaint.empty())
            return fmt::format("line {}: {}", number, complaint);
    }
    return number > 0 ? "" : "no line";
}

} // namespace sonde
