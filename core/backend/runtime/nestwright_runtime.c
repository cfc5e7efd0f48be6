/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels made by Nestwright call: parallel loops, aligned memory, the question for tile registers.
 * Needs POSIX threads and GCC's or Clang's atomic operations; compiles as C11 and as C++. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#include <sys/syscall.h>
#endif
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int (*nw_body)(void *context, int64_t begin, int64_t end);

int nestwright_parallel_for(nw_body body, void *context, int64_t count);
void *nestwright_alloc(uint64_t bytes);
void nestwright_free(void *memory);
void nestwright_set_filling(int byte);
void nestwright_set_threads(int count);
int nestwright_threads(void);
int nestwright_has_tiles(void);

enum { NW_MOST_THREADS = 256, NW_SPINS = 20000, NW_OPEN = 0x8000, NW_EPOCH = 0x10000 };

/* The iterations that one thread begins with, in a line of the cache of their own. */
typedef struct {
    int64_t next, end;
    char line[48];
} __attribute__((aligned(64))) nw_part;

/* One pool per process. A loop is published by raising `epoch`; the workers that come in time enter through
 * `gate`. Each thread takes pieces of its own part, which is the same whenever a loop has so many iterations:
 * what it wrote there is still in its cache. Then it takes what others have left of theirs. When nothing is
 * left, the caller closes the gate and waits for those who are inside, so that a worker which the system does
 * not let run holds up nobody. Waiting threads spin for some microseconds, which is shorter than waking up,
 * and then sleep. */
static struct {
    pthread_mutex_t call;  /* held by the thread whose loop runs */
    pthread_mutex_t sleep; /* guards sleeping and waking */
    pthread_cond_t wake;
    pthread_t workers[NW_MOST_THREADS];
    int cores[NW_MOST_THREADS]; /* where the caller was last, then of each worker; -1: anywhere */
    int started;                /* workers that exist */
    int wanted;                 /* threads of a loop, the caller included; 0: not set yet */
    int stopping;
    uint64_t epoch __attribute__((aligned(64))); /* and what a loop is: a line that only the caller writes */
    nw_body body;
    void *context;
    int64_t piece;
    int threads;
    /* epoch * NW_EPOCH, NW_OPEN while workers may enter, and how many are inside */
    uint64_t gate __attribute__((aligned(64)));
    int code;
    nw_part parts[NW_MOST_THREADS];
} nw_pool = {PTHREAD_MUTEX_INITIALIZER,
             PTHREAD_MUTEX_INITIALIZER,
             PTHREAD_COND_INITIALIZER,
             {0},
             {0},
             0,
             0,
             0,
             0,
             0,
             0,
             0,
             0,
             0,
             0,
             {{0, 0, {0}}}};

static __thread int nw_inside; /* this thread runs a piece of a loop */

static void nw_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Processors' worth of time that a container is granted, rounded up; 0: no limit is known. */
static int nw_quota(void)
{
    long quota = 0, period = 0;
#ifdef __linux__
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (file) {
        if (fscanf(file, "%ld %ld", &quota, &period) != 2) /* "max 100000" */
            quota = 0;
        fclose(file);
    }
#endif
    return quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

static int nw_cores(void)
{
    static int quota = -1;
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        cores = CPU_COUNT(&set);
#endif
    if (quota < 0)
        quota = nw_quota();
    return quota > 0 && quota < cores ? quota : cores > 0 ? cores : 1;
}

/* The core that this thread runs on; -1 where it cannot be known. */
static int nw_core(void)
{
#ifdef __linux__
    return sched_getcpu();
#else
    return -1;
#endif
}

/* Puts a worker on a core. In a sandbox a thread places itself only: there nw_settle does it. */
static void nw_put(int worker, int core)
{
    nw_pool.cores[worker] = core;
#ifdef __linux__
    if (core >= 0 && core < CPU_SETSIZE) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        pthread_setaffinity_np(nw_pool.workers[worker - 1], sizeof one, &one);
    }
#endif
}

/* A core that the process may use and neither the caller nor a worker before this one has; -1: none. */
static int nw_free_core(int worker)
{
#ifdef __linux__
    cpu_set_t set;
    int core, i;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return -1;
    for (i = 0; i < worker; ++i) {
        if (nw_pool.cores[i] >= 0 && nw_pool.cores[i] < CPU_SETSIZE)
            CPU_CLR(nw_pool.cores[i], &set);
    }
    for (core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &set))
            return core;
    }
#else
    (void)worker;
#endif
    return -1;
}

/* Notes where the caller runs. Where that is the core of a worker, the worker goes to the core that the
 * caller has left: on one core they would take turns, and a short loop ends before the system parts them. */
static void nw_leave_caller(void)
{
    const int core = nw_core();
    int worker;
    if (core == nw_pool.cores[0])
        return;
    for (worker = 1; worker <= nw_pool.started; ++worker) {
        if (nw_pool.cores[worker] == core) {
            nw_put(worker, nw_pool.cores[0]);
            break;
        }
    }
    nw_pool.cores[0] = core;
}

/* Puts the calling worker on the core that it was given, where it is not there yet. */
static void nw_settle(int number, int *settled)
{
    const int core = nw_pool.cores[number];
    if (core == *settled)
        return;
    *settled = core;
#ifdef __linux__
    if (core >= 0 && core < CPU_SETSIZE) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
#endif
}

static void nw_work(int number)
{
    const int threads = nw_pool.threads;
    int i;
    nw_inside = 1;
    for (i = 0; i < threads; ++i) {
        nw_part *part = &nw_pool.parts[(number + i) % threads];
        for (;;) {
            int64_t begin = __atomic_fetch_add(&part->next, nw_pool.piece, __ATOMIC_RELAXED);
            int64_t end = begin + nw_pool.piece;
            int code;
            if (begin >= part->end)
                break;
            code = nw_pool.body(nw_pool.context, begin, end < part->end ? end : part->end);
            if (code != 0)
                __atomic_store_n(&nw_pool.code, code, __ATOMIC_RELAXED);
        }
    }
    nw_inside = 0;
}

/* Waits until a loop after `seen` is published, or the pool stops; gives the number of that loop. */
static uint64_t nw_wait(uint64_t seen)
{
    int spin;
    for (spin = 0; spin < NW_SPINS; ++spin) {
        uint64_t epoch = __atomic_load_n(&nw_pool.epoch, __ATOMIC_ACQUIRE);
        if (epoch != seen)
            return epoch;
        nw_pause();
    }
    pthread_mutex_lock(&nw_pool.sleep);
    while (nw_pool.epoch == seen)
        pthread_cond_wait(&nw_pool.wake, &nw_pool.sleep);
    seen = nw_pool.epoch;
    pthread_mutex_unlock(&nw_pool.sleep);
    return seen;
}

/* Whether the loop of that epoch still takes workers; the calling one then counts as inside. */
static int nw_enter(uint64_t epoch)
{
    uint64_t gate = __atomic_load_n(&nw_pool.gate, __ATOMIC_RELAXED);
    while (gate / NW_EPOCH == epoch && (gate & NW_OPEN)) {
        if (__atomic_compare_exchange_n(&nw_pool.gate, &gate, gate + 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return 1;
    }
    return 0;
}

static void *nw_worker(void *argument)
{
    const int number = (int)(intptr_t)argument; /* from 1; the caller is thread 0 */
    uint64_t seen = 0;
    int settled = -1;
    for (;;) {
        seen = nw_wait(seen);
        if (__atomic_load_n(&nw_pool.stopping, __ATOMIC_ACQUIRE))
            return NULL;
        if (!nw_enter(seen))
            continue;
        nw_settle(number, &settled);
        if (number < nw_pool.threads)
            nw_work(number);
        __atomic_fetch_sub(&nw_pool.gate, 1, __ATOMIC_RELEASE);
    }
}

static void nw_publish(void)
{
    pthread_mutex_lock(&nw_pool.sleep);
    __atomic_fetch_add(&nw_pool.epoch, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&nw_pool.wake);
    pthread_mutex_unlock(&nw_pool.sleep);
}

/* In the child of a fork there are no workers. */
static void nw_forked(void)
{
    pthread_mutex_init(&nw_pool.call, NULL);
    pthread_mutex_init(&nw_pool.sleep, NULL);
    pthread_cond_init(&nw_pool.wake, NULL);
    nw_pool.started = 0;
    nw_pool.epoch = 0;
    nw_pool.gate = 0;
    nw_inside = 0;
}

/* The number of threads that a loop may have, after starting those that are missing. */
static int nw_start(int threads)
{
    static int prepared;
    if (!prepared) {
        prepared = 1;
        pthread_atfork(NULL, NULL, nw_forked);
    }
    nw_leave_caller();
    while (nw_pool.started < threads - 1) {
        const intptr_t number = nw_pool.started + 1;
        if (pthread_create(&nw_pool.workers[number - 1], NULL, nw_worker, (void *)number) != 0)
            break;
        nw_pool.started = (int)number;
        nw_put((int)number, nw_free_core((int)number));
    }
    return nw_pool.started + 1 < threads ? nw_pool.started + 1 : threads;
}

__attribute__((destructor)) static void nw_stop(void)
{
    __atomic_store_n(&nw_pool.stopping, 1, __ATOMIC_RELEASE);
    nw_publish();
    while (nw_pool.started > 0)
        pthread_join(nw_pool.workers[--nw_pool.started], NULL);
}

int nestwright_threads(void)
{
    const int wanted = __atomic_load_n(&nw_pool.wanted, __ATOMIC_RELAXED);
    const int count = wanted > 0 ? wanted : nw_cores();
    return count < NW_MOST_THREADS ? count : NW_MOST_THREADS;
}

void nestwright_set_threads(int count)
{
    __atomic_store_n(&nw_pool.wanted, count > 0 ? count : 0, __ATOMIC_RELAXED);
}

int nestwright_parallel_for(nw_body body, void *context, int64_t count)
{
    int threads, spin, code, i;
    if (count <= 0)
        return 0;
    if (count == 1 || nw_inside || pthread_mutex_trylock(&nw_pool.call) != 0)
        return body(context, 0, count);
    threads = nestwright_threads();
    threads = nw_start(threads < count ? threads : (int)count);
    if (threads == 1) {
        pthread_mutex_unlock(&nw_pool.call);
        return body(context, 0, count);
    }
    nw_pool.body = body;
    nw_pool.context = context;
    /* Several pieces a thread, so that one that is held up does not hold up the loop. */
    nw_pool.piece = count / (threads * 4) > 0 ? count / (threads * 4) : 1;
    for (i = 0; i < threads; ++i) {
        nw_pool.parts[i].next = i > 0 ? nw_pool.parts[i - 1].end : 0;
        nw_pool.parts[i].end = nw_pool.parts[i].next + count / threads + (i < count % threads ? 1 : 0);
    }
    nw_pool.code = 0;
    nw_pool.threads = threads;
    __atomic_store_n(&nw_pool.gate, (nw_pool.epoch + 1) * NW_EPOCH + NW_OPEN, __ATOMIC_RELEASE);
    nw_publish();
    nw_work(0);
    __atomic_fetch_and(&nw_pool.gate, ~(uint64_t)NW_OPEN, __ATOMIC_RELAXED);
    for (spin = 0; __atomic_load_n(&nw_pool.gate, __ATOMIC_ACQUIRE) % NW_OPEN > 0; ++spin) {
        if (spin < NW_SPINS)
            nw_pause();
        else
            sched_yield();
    }
    code = nw_pool.code;
    pthread_mutex_unlock(&nw_pool.call);
    return code;
}

/* Memory that a thread has freed is kept for its next loop nest, which mostly asks for the same again: from
 * the system it would come as pages that must be cleared first. */
#ifdef __SANITIZE_ADDRESS__
enum { NW_KEPT = 1, NW_KEPT_BYTES = 0 };
#else
enum { NW_KEPT = 8, NW_KEPT_BYTES = 64 << 20 };
#endif

/* Arrays that fill two large pages lie in such, so that fewer translations of addresses are missed. */
enum { NW_LARGE_PAGE = 2 << 20, NW_LEAST_LARGE = 4 << 20 };

typedef union {
    uint64_t bytes; /* behind it */
    char line[64];
} nw_block;

static __thread nw_block *nw_kept[NW_KEPT];
static __thread uint64_t nw_kept_bytes;
static pthread_key_t nw_kept_key; /* frees what a thread keeps when it ends */
static pthread_once_t nw_kept_once = PTHREAD_ONCE_INIT;

static void nw_free_kept(void *unused)
{
    int i;
    (void)unused;
    for (i = 0; i < NW_KEPT; ++i) {
        free(nw_kept[i]);
        nw_kept[i] = NULL;
    }
    nw_kept_bytes = 0;
}

static void nw_make_kept_key(void) { pthread_key_create(&nw_kept_key, &nw_free_kept); }

static void *nw_take(uint64_t bytes)
{
    void *memory = NULL;
    int i, best = -1;
    for (i = 0; i < NW_KEPT; ++i) {
        if (nw_kept[i] && nw_kept[i]->bytes >= bytes && nw_kept[i]->bytes / 2 <= bytes
            && (best < 0 || nw_kept[i]->bytes < nw_kept[best]->bytes))
            best = i;
    }
    if (best >= 0) {
        nw_block *found = nw_kept[best];
        nw_kept[best] = NULL;
        nw_kept_bytes -= found->bytes;
        return found + 1;
    }
    if (bytes > SIZE_MAX - NW_LARGE_PAGE
        || posix_memalign(&memory, bytes < NW_LEAST_LARGE ? sizeof(nw_block) : (size_t)NW_LARGE_PAGE,
                          sizeof(nw_block) + (size_t)bytes)
               != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= NW_LEAST_LARGE)
        madvise(memory, sizeof(nw_block) + (size_t)bytes, MADV_HUGEPAGE); /* a wish */
#endif
    ((nw_block *)memory)->bytes = bytes;
    return (nw_block *)memory + 1;
}

static int nw_filling = -1;

void nestwright_set_filling(int byte) { nw_filling = byte; }

void *nestwright_alloc(uint64_t bytes)
{
    void *memory = nw_take(bytes);
    if (memory && nw_filling >= 0)
        memset(memory, nw_filling, (size_t)bytes);
    return memory;
}

void nestwright_free(void *memory)
{
    nw_block *block;
    int i;
    if (!memory)
        return;
    block = (nw_block *)memory - 1;
    for (i = 0; i < NW_KEPT && nw_kept_bytes + block->bytes <= NW_KEPT_BYTES; ++i) {
        if (nw_kept[i])
            continue;
        pthread_once(&nw_kept_once, &nw_make_kept_key);
        pthread_setspecific(nw_kept_key, nw_kept);
        nw_kept[i] = block;
        nw_kept_bytes += block->bytes;
        return;
    }
    free(block);
}

/* Linux gives a process the state of tile registers (Intel AMX) when it asks, once; its threads and forks
 * have it then. */
int nestwright_has_tiles(void)
{
    static int known; /* 1: yes, -1: no */
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == 0) {
        answer = -1;
#if defined(__linux__) && defined(__x86_64__) && defined(SYS_arch_prctl)
        enum { NW_REQUEST_STATE = 0x1023, NW_TILE_DATA = 18 };
        if (syscall(SYS_arch_prctl, NW_REQUEST_STATE, NW_TILE_DATA) == 0)
            answer = 1;
#endif
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer > 0;
}

#ifdef __cplusplus
}
#endif
