// What the schemas of results/ say of lines.
#pragma once
#include <memory>
#include <string>

namespace sonde {

/// A schema of results/, and what it says of a text: the first complaint, or "".
class SchemaFile {
public:
    explicit SchemaFile(const std::string& name);
    ~SchemaFile();
    std::string complaint(const std::string& text) const;

private:
    struct Parsed;
    std::unique_ptr<Parsed> parsed_;
};

/// The file's first `most` lines against results/schema.json; the first complaint, or "".
std::string schema_complaint(const std::string& file, int most = 1000000);

} // namespace sonde
