// A few positions that come with the launch.

constexpr int MOST_FEW = 16;
struct Few {
    int64 positions[MOST_FEW];
};
