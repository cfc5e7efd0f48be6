/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs an exported model once on numbers from 0 to 1 and prints the largest elements of its first output.
 *
 *   nestc export squeezenet.onnx --format shared -o model.so
 *   cc -I. examples/c/run_model.c model.so -Wl,-rpath,. -lm -o run_model && ./run_model
 *
 *   nestc export squeezenet.onnx --format c -o model.c
 *   cc -O3 -march=native -fopenmp -DWEIGHTS='"model.weights"' -I. examples/c/run_model.c model.c \
 *      model_kernels.c -lm -o run_model && ./run_model
 */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef WEIGHTS
#define CREATE() model_create(WEIGHTS)
#else
#define CREATE() model_create()
#endif

static int64_t elements(const DLTensor *tensor)
{
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->ndim; ++i)
        count *= tensor->shape[i];
    return count;
}

int main(int argc, char **argv)
{
    model_model *model = CREATE();
    if (!model) {
        fprintf(stderr, "the model cannot be created\n");
        return 1;
    }
    /* The input's shape, four numbers: 1 3 224 224 unless others are given. */
    int64_t shape[4] = {1, 3, 224, 224};
    for (int i = 0; i < 4 && i + 1 < argc; ++i)
        shape[i] = atoll(argv[i + 1]);
    DLTensor input = {NULL, {1, 0}, 4, {2, 32, 1}, shape, NULL, 0};
    const int64_t count = elements(&input);
    float *data = malloc((size_t)count * sizeof *data);
    for (int64_t i = 0; i < count; ++i)
        data[i] = (float)i / (float)count;
    input.data = data;
    const int32_t set = model_set_input(model, 0, &input);
    const int32_t code = set == 0 ? model_run(model) : set;
    free(data);
    if (code != 0) {
        fprintf(stderr, "the model returned %d\n", code);
        model_destroy(model);
        return 1;
    }
    DLTensor output;
    model_get_output(model, 0, &output);
    const float *results = output.data;
    int64_t best[5];
    for (int rank = 0; rank < 5 && rank < elements(&output); ++rank) {
        best[rank] = -1;
        for (int64_t i = 0; i < elements(&output); ++i) {
            int taken = 0;
            for (int k = 0; k < rank; ++k)
                taken |= best[k] == i;
            if (!taken && (best[rank] < 0 || results[i] > results[best[rank]]))
                best[rank] = i;
        }
        printf("%d. element %lld: %g\n", rank + 1, (long long)best[rank], (double)results[best[rank]]);
    }
    model_destroy(model);
    return 0;
}
