// SPDX-License-Identifier: Apache-2.0
/// Lets a compiler for the processor compile CUDA C++ and runs its kernels there, one block after the other.
/// Each thread of a block is a coroutine on a stack of its own; it runs until it waits for others. What a GPU
/// leaves open is chosen so that faults show: threads take turns first to last in one block and last to first
/// in the next, shared memory holds NaN when a block begins.
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

using std::isfinite;
using std::isinf;
using std::isnan;

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("nw_shared")))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ // threads of a block do see what others wrote through another pointer, after a barrier

extern "C" {
/// How a launch ended; emulated_device.cpp has the words.
enum { NwDone = 0, NwDivergent = 1, NwStuck = 2, NwTooManyThreads = 3 };
}

struct __align__(4) uchar4 {
    unsigned char x, y, z, w;
};
struct __align__(4) ushort2 {
    unsigned short x, y;
};
struct __align__(8) uint2 {
    unsigned x, y;
};
struct __align__(16) uint4 {
    unsigned x, y, z, w;
};
struct NwIndex {
    unsigned x, y, z;
};
static NwIndex threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

/// All arrays of the kernels that blocks share.
extern char __start_nw_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_nw_shared[] __attribute__((weak, visibility("hidden")));

namespace nw {

enum : size_t { StackBytes = 256 * 1024, GuardBytes = 4096, MostThreads = 1024 };

struct Thread {
    jmp_buf place;
    NwIndex index;
    int waitsAt;        ///< the line of a barrier; 0: of none
    unsigned exchanges; ///< that it has begun
    uint32_t partners;  ///< lanes of its warp that the exchange waits for
    bool isExchanging, isMade, hasEnded;
    uint64_t given[2]; ///< what it gives to its warp, by turns
};

static Thread threads[MostThreads];
static char *stacks;
static unsigned count;   ///< of threads in a block
static unsigned current; ///< the one that runs
static jmp_buf scheduler;
static ucontext_t main_context;
static void (*call)(void *);
static void *call_arguments;

/// Before the process is closed in, so that memory can still be asked for.
__attribute__((constructor)) static void makeStacks()
{
    const size_t bytes = (size_t)MostThreads * StackBytes;
    void *made =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stacks = made == MAP_FAILED ? nullptr : (char *)made;
    for (size_t i = 0; stacks && i < MostThreads; ++i)
        mprotect(stacks + i * StackBytes, GuardBytes, PROT_NONE); // a stack that overflows ends the process
}

/// Lets other threads run.
__attribute__((noinline)) static void yield()
{
    if (_setjmp(threads[current].place) == 0)
        _longjmp(scheduler, 1);
    __asm__ volatile("" ::: "memory");
}

static void threadMain()
{
    for (;;) {
        call(call_arguments);
        threads[current].hasEnded = true;
        yield();
    }
}

static void resume(unsigned number)
{
    current = number;
    Thread &thread = threads[number];
    threadIdx = thread.index;
    if (_setjmp(scheduler) != 0)
        return;
    if (thread.isMade)
        _longjmp(thread.place, 1);
    thread.isMade = true;
    static ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks + (size_t)number * StackBytes;
    context.uc_stack.ss_size = StackBytes;
    context.uc_link = nullptr;
    makecontext(&context, threadMain, 0);
    swapcontext(&main_context, &context);
}

/// Whether the lanes that an exchange needs have all given.
static bool haveGiven(const Thread &thread, unsigned number)
{
    const unsigned first = number / warpSize * warpSize;
    for (unsigned lane = 0; lane < (unsigned)warpSize && first + lane < count; ++lane) {
        const Thread &partner = threads[first + lane];
        if ((thread.partners >> lane & 1U) && !partner.hasEnded && partner.exchanges < thread.exchanges)
            return false;
    }
    return true;
}

static int runBlock(bool isBackwards)
{
    if (__start_nw_shared)
        memset(__start_nw_shared, 0xff, (size_t)(__stop_nw_shared - __start_nw_shared));
    for (unsigned i = 0; i < count; ++i) {
        Thread &thread = threads[i];
        thread.index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
        thread.waitsAt = 0;
        thread.exchanges = 0;
        thread.isExchanging = thread.hasEnded = false;
    }
    for (;;) {
        bool hasRun = false;
        unsigned ended = 0, waiting = 0;
        int line = 0;
        bool isOneLine = true;
        for (unsigned turn = 0; turn < count; ++turn) {
            const unsigned i = isBackwards ? count - 1 - turn : turn;
            Thread &thread = threads[i];
            if (!thread.hasEnded && !thread.waitsAt && (!thread.isExchanging || haveGiven(thread, i))) {
                resume(i);
                hasRun = true;
            }
            ended += thread.hasEnded;
            if (thread.waitsAt) {
                isOneLine = isOneLine && (line == 0 || line == thread.waitsAt);
                line = thread.waitsAt;
                ++waiting;
            }
        }
        if (ended == count)
            return NwDone;
        if (hasRun)
            continue;
        if (waiting != count || !isOneLine) // some went another way
            return waiting > 0 ? NwDivergent : NwStuck;
        for (unsigned i = 0; i < count; ++i)
            threads[i].waitsAt = 0;
    }
}

static void barrier(int line)
{
    threads[current].waitsAt = line;
    yield();
}

/// Gives `bits` to the warp; then what the thread of `lane` gave, where `lane` is one of the warp's.
static uint64_t exchange(uint32_t partners, uint64_t bits, unsigned lane)
{
    Thread &thread = threads[current];
    const unsigned number = current, turn = ++thread.exchanges & 1U;
    thread.given[turn] = bits;
    thread.partners = partners;
    thread.isExchanging = true;
    yield();
    thread.isExchanging = false;
    const unsigned from = number / warpSize * warpSize + lane;
    return from < count ? threads[from].given[turn] : bits;
}

template <class T> static T shuffled(uint32_t partners, T value, int lane, int self)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = exchange(partners, bits, (unsigned)(lane < 0 || lane >= warpSize ? self : lane));
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int lane() { return (int)(current % warpSize); }

/// A kernel with its arguments by their addresses.
template <class... P, size_t... I>
static void callWith(void (*kernel)(P...), void **arguments, std::index_sequence<I...>)
{
    kernel(*(std::remove_const_t<P> *)arguments[I]...);
}

template <class... P> struct Bound {
    void (*kernel)(P...);
    void **arguments;
    static void run(void *self)
    {
        const Bound &bound = *(Bound *)self;
        callWith(bound.kernel, bound.arguments, std::index_sequence_for<P...>());
    }
};

template <class... P>
static int launch(void (*kernel)(P...), void **arguments, const int64_t *blocks, const int64_t *extents)
{
    if (!stacks || extents[0] * extents[1] * extents[2] > MostThreads)
        return NwTooManyThreads;
    Bound<P...> bound{kernel, arguments};
    call = Bound<P...>::run;
    call_arguments = &bound;
    gridDim = {(unsigned)blocks[0], (unsigned)blocks[1], (unsigned)blocks[2]};
    blockDim = {(unsigned)extents[0], (unsigned)extents[1], (unsigned)extents[2]};
    count = blockDim.x * blockDim.y * blockDim.z;
    bool isBackwards = false;
    for (unsigned z = 0; z < gridDim.z; ++z) {
        for (unsigned y = 0; y < gridDim.y; ++y) {
            for (unsigned x = 0; x < gridDim.x; ++x) {
                blockIdx = {x, y, z};
                if (const int code = runBlock(isBackwards)) {
                    for (Thread &thread : threads)
                        thread.isMade = thread.isMade && thread.hasEnded; // others begin on a new stack
                    return code;
                }
                isBackwards = !isBackwards;
            }
        }
    }
    return NwDone;
}

} // namespace nw

#define __syncthreads() nw::barrier(__LINE__)
static void __syncwarp(unsigned lanes = 0xffffffffU) { nw::exchange(lanes, 0, (unsigned)nw::lane()); }
static unsigned __activemask() { return 0xffffffffU; }
template <class T> static T __shfl_sync(unsigned lanes, T value, int from, int width = warpSize)
{
    return nw::shuffled(lanes, value, nw::lane() / width * width + from % width, nw::lane());
}
template <class T> static T __shfl_xor_sync(unsigned lanes, T value, int bits, int width = warpSize)
{
    const int other = nw::lane() ^ bits;
    return nw::shuffled(lanes, value, other / width == nw::lane() / width ? other : nw::lane(), nw::lane());
}
template <class T> static T __shfl_down_sync(unsigned lanes, T value, unsigned by, int width = warpSize)
{
    const int other = nw::lane() + (int)by;
    return nw::shuffled(lanes, value, other / width == nw::lane() / width ? other : nw::lane(), nw::lane());
}
template <class T> static T __shfl_up_sync(unsigned lanes, T value, unsigned by, int width = warpSize)
{
    const int other = nw::lane() - (int)by;
    return nw::shuffled(lanes, value, other >= nw::lane() / width * width ? other : nw::lane(), nw::lane());
}

template <class To, class From> static To nwBits(From value)
{
    To bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static float __int_as_float(int bits) { return nwBits<float>(bits); }
static int __float_as_int(float value) { return nwBits<int>(value); }

/// Launches NAME from the host: gives one of the numbers above.
#define NW_LAUNCH(name)                                                                                      \
    extern "C" int nw_launch_##name(void **arguments, const int64_t *blocks, const int64_t *extents)         \
    {                                                                                                        \
        return nw::launch(name, arguments, blocks, extents);                                                 \
    }
