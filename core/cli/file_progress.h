// Which of many files is being read.
#pragma once
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/progress.h"

namespace sonde {

/// On a terminal a line that is wiped at the end; elsewhere a line in ten seconds. Few files are silent.
class FileProgress {
public:
    FileProgress(std::ostream& errors, std::size_t files)
        : board_(errors, standard_error_is_terminal() ? ProgressBoard::Form::in_place : ProgressBoard::Form::sparse, 1),
          files_(files) {}
    ~FileProgress() { board_.clear(); }
    void next(const std::string& name) {
        constexpr std::size_t kMany = 8;
        ++at_;
        if (files_ >= kMany) board_.set(0, fmt::format("[{}/{}] reading {}", at_, files_, name));
    }

private:
    ProgressBoard board_;
    std::size_t files_, at_ = 0;
};

} // namespace sonde
