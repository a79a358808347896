// Windows: a std::filesystem::path of a std::string. libstdc++ takes each byte for a character there, whatever the
// locale (12.2). Text is UTF-8 in Sonde, so these members of the library's facet stand in place of its own.
#include <codecvt>
#include <locale>

namespace std {

namespace {
const codecvt_utf8_utf16<wchar_t>& utf8() {
    static const codecvt_utf8_utf16<wchar_t> facet;
    return facet;
}
} // namespace

codecvt_base::result codecvt<wchar_t, char, mbstate_t>::do_out(state_type& state, const wchar_t* from,
    const wchar_t* from_end, const wchar_t*& from_next, char* to, char* to_end, char*& to_next) const {
    return utf8().out(state, from, from_end, from_next, to, to_end, to_next);
}

codecvt_base::result codecvt<wchar_t, char, mbstate_t>::do_in(state_type& state, const char* from, const char* from_end,
    const char*& from_next, wchar_t* to, wchar_t* to_end, wchar_t*& to_next) const {
    return utf8().in(state, from, from_end, from_next, to, to_end, to_next);
}

int codecvt<wchar_t, char, mbstate_t>::do_encoding() const throw() { return utf8().encoding(); }

int codecvt<wchar_t, char, mbstate_t>::do_length(
    state_type& state, const char* from, const char* end, size_t most) const {
    return utf8().length(state, from, end, most);
}

int codecvt<wchar_t, char, mbstate_t>::do_max_length() const throw() { return utf8().max_length(); }

} // namespace std
