// Items of a kind together.
#pragma once
#include <cstddef>
#include <map>
#include <type_traits>
#include <vector>

namespace sonde {

/// Items with equal keys in one group; groups and items in the order in which they come.
template <class Item, class Key> std::vector<std::vector<Item>> grouped(const std::vector<Item>& items, Key key) {
    std::vector<std::vector<Item>> groups;
    std::map<std::decay_t<std::invoke_result_t<Key, const Item&>>, std::size_t> places;
    for (const Item& item : items) {
        const auto [place, fresh] = places.try_emplace(key(item), groups.size());
        if (fresh) groups.emplace_back();
        groups[place->second].push_back(item);
    }
    return groups;
}

} // namespace sonde
