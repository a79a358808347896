// Fourier transforms of complex numbers in single precision: by the passes of kernels/fft.h, or by a library; and their
// check.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/measure/workload.h"

namespace sonde {

/// How kernels/fft.h makes transforms on a device.
struct FftPasses {
    std::uint32_t points = 2048, items = 1; // of a workgroup, powers of two

    std::uint32_t scratchpad_bytes() const;
    /// Of transforms of 2^n_bits points.
    std::uint32_t count(std::uint32_t n_bits) const;
    std::vector<kernel_args::Fft> args(std::uint32_t n_bits, bool inverse) const;
    /// Words of the buffer `out`.
    std::vector<std::uint32_t> roots(std::uint32_t n_bits) const;
    /// Bytes that all passes read from and write to the scratchpad for a point.
    double scratchpad_bytes_of_point(std::uint32_t n_bits) const;
};
FftPasses fft_passes(const DeviceInfo&);
KernelChoice fft_kernel(const FftPasses&);

/// Transforms side by side that fill `points` together, forwards and back in turn. A step is one direction.
class Transforms : public Workload {
public:
    /// Operations, of which a point has 5 log2 n by convention.
    double units() const override { return 5.0 * n_bits_ * static_cast<double>(points_); }
    /// Some frequencies of one transform against the host's, and all points, transformed back, against the start. Runs
    /// two more steps.
    void check(std::uint64_t steps) override;

protected:
    Transforms(Bench&, std::uint64_t points, std::uint32_t n_bits);
    /// Where the points stand after so many steps.
    virtual const Buffer& after(std::uint64_t steps) const = 0;
    /// The points at the start, with `seed_`; others with another.
    std::unique_ptr<Buffer> filled(std::uint32_t seed);

    Bench& bench_;
    const std::uint64_t points_;
    const std::uint32_t n_bits_, seed_;

private:
    void run_step(std::uint64_t step);
    void check_frequencies(const Buffer& found, double bound);
    void check_start(const Buffer& found, double bound);

    const std::shared_ptr<Kernel> distances_kernel_;
    const std::unique_ptr<Buffer> start_, distances_;
};

/// By kernels/fft.h.
class Fft final : public Transforms {
public:
    Fft(Bench&, const KernelChoice&, std::uint64_t points, std::uint32_t n_bits);
    Demand demand() const override;
    void append(std::vector<Launch>&, std::uint64_t step) const override;

private:
    const Buffer& after(std::uint64_t steps) const override { return *buffers_[passes_.count(n_bits_) * steps % 2]; }

    const FftPasses passes_;
    const std::vector<kernel_args::Fft> args_[2]; // forwards, back
    const std::shared_ptr<Kernel> kernel_;
    const std::unique_ptr<Buffer> buffers_[2], roots_;
};

/// By a library, in place.
class LibraryFft final : public Transforms {
public:
    LibraryFft(Bench&, std::uint64_t points, std::uint32_t n_bits);
    /// What a library's kernels move is not known.
    Demand demand() const override { return {}; }
    void append(std::vector<Launch>&, std::uint64_t step) const override;

private:
    const Buffer& after(std::uint64_t) const override { return *numbers_; }

    const LibraryKernel kernel_;
    const std::unique_ptr<Buffer> numbers_;
};

/// Sizes that the device takes, and their measurement.
void measure_fft(Bench&);
void measure_library_fft(Bench&);

} // namespace sonde
