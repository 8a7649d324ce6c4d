#include "core/model/evaluation_progress.h"

#include <limits.h>

void evaluation_progress_encode(const struct evaluation_progress *progress, struct json *message)
{
    json_put_string(message, "stage", progress->stage);
    json_put_number(message, "done", progress->done);
    json_put_number(message, "total", progress->total);
    json_put_number(message, "median_us", progress->median_us);
}

struct evaluation_progress evaluation_progress_decode(const struct json *message)
{
    return (struct evaluation_progress){
        .stage = json_get_string(message, "stage", ""),
        .done = (unsigned)json_get_whole(message, "done", UINT_MAX, 0),
        .total = (unsigned)json_get_whole(message, "total", UINT_MAX, 0),
        .median_us = json_get_number(message, "median_us", 0),
    };
}
