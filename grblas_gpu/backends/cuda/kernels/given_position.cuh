// A position as the user gave it, of any type: negative ones count from the end. It may be outside of 0 ... size.

template <class Given> DEVICE int64 given_position(Given number, int64 size) {
    return int64(number) + (is_signed<Given> && number < Given(0) ? size : 0);
}
