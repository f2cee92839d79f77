// The phases of a sort as kernels, and a whole sort by one block for few keys.

#include "radix_sort.cuh"

extern "C" __global__ void count_digits_kernel(
    const Key* keys, const int64* device_count, int64 host_count, int64 shift, int64 bits, Place* counts
) {
    count_digits(keys, counted(device_count, host_count), {int(shift), int(bits)}, counts);
}

extern "C" __global__ void add_up_digits_kernel(
    const int64* device_count, int64 host_count, int64 shift, int64 bits, Place* counts, Place* totals
) {
    add_up_digits(counted(device_count, host_count), {int(shift), int(bits)}, counts, totals);
}

extern "C" __global__ void __launch_bounds__(256, 4) move_keys_kernel(
    Key* from_keys, Payload* from_payload, Key* to_keys, Payload* to_payload, const int64* device_count,
    int64 host_count, int64 shift, int64 bits, const Place* counts, const Place* totals
) {
    int64 count = counted(device_count, host_count);
    move_keys({from_keys, from_payload}, {to_keys, to_payload}, count, {int(shift), int(bits)}, counts, totals);
}

// All passes, from `given` to `first`, then to `second` and to `first` in turn. For a single block.
extern "C" __global__ void sort_kernel(
    Key* given_keys, Payload* given_payload, Key* first_keys, Payload* first_payload, Key* second_keys,
    Payload* second_payload, const int64* device_count, int64 host_count, int64 bits, int64 width, Place* counts,
    Place* totals
) {
    int64 count = counted(device_count, host_count);
    Items from = {given_keys, given_payload}, to = {first_keys, first_payload}, other = {second_keys, second_payload};
    for (int pass = 0; pass * width < bits; ++pass) {
        Digit digit = digit_of_pass(pass, int(bits), int(width));
        count_digits(from.keys, count, digit, counts);
        __syncthreads();
        add_up_digits(count, digit, counts, totals);
        __syncthreads();
        move_keys(from, to, count, digit, counts, totals);
        __syncthreads();
        from = to;
        to = other;
        other = from;
    }
}
