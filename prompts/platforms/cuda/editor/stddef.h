/* kernel.h has its names, for clangd in an editor. */
#pragma once
