"""XXH3 with seed 0 and its default secret, 64 and 128 bits, in plain Python: for the second reader, which shares no code with the first.

digest64 and digest128 are the two to use; the second gives (low half, high half). About 30 MB a second.
"""

import struct

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1

P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
PMX_1, PMX_2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex("""
b8fe6c3923a44bbe7c01812cf721ad1c ded46de9839097db7240a4a4b7b3671f
cb79e64eccc0e578825ad07dccff7221 b8084674f743248ee03590e6813a264c
3c2852bb91c300cb88d0658b1b532ea3 71644897a20df94e3819ef46a9deacd8
a8fa763fe39c343ff9dcbbc7c70b4f1d 8a51e04bcdb45931c89f7ec9d9787364
eac5ac8334d3ebc3c581a0fffa1363eb 170ddd51b7f0da49d316552629d4689e
2b16be587d47a1fc8ff8b8d17ad031ce 45cb3a8f95160428afd7fbcabb4b407e
""")


def r32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def r64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def s64(at):
    return r64(SECRET, at)


def swap32(x):
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def swap64(x):
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def rotl64(x, n):
    return (x << n | x >> (64 - n)) & M64


def fold(a, b):
    product = a * b
    return product & M64 ^ product >> 64


def avalanche(h):
    h ^= h >> 37
    h = h * PMX_1 & M64
    return h ^ h >> 32


def avalanche_xxh64(h):
    h ^= h >> 33
    h = h * P64_2 & M64
    h ^= h >> 29
    h = h * P64_3 & M64
    return h ^ h >> 32


def rrmxmx(h, size):
    h ^= rotl64(h, 49) ^ rotl64(h, 24)
    h = h * PMX_2 & M64
    h ^= (h >> 35) + size
    h = h * PMX_2 & M64
    return h ^ h >> 28


def mix16(data, at, key):
    return fold(r64(data, at) ^ s64(key), r64(data, at + 8) ^ s64(key + 8))


def packed_1_to_3(data):
    size = len(data)
    return data[0] << 16 | data[size >> 1] << 24 | data[size - 1] | size << 8


# ---- More than 240 bytes: eight lanes ----

def accumulate(acc, lanes, keys):
    for i in range(0, 8, 2):
        a, b = lanes[i], lanes[i + 1]
        x, y = a ^ keys[i], b ^ keys[i + 1]
        acc[i] = acc[i] + b + (x & M32) * (x >> 32) & M64
        acc[i + 1] = acc[i + 1] + a + (y & M32) * (y >> 32) & M64


def lanes_of_long(data):
    size = len(data)
    stripe = struct.Struct("<8Q").unpack_from
    keys = [stripe(SECRET, 8 * i) for i in range(16)]
    scramble_keys = stripe(SECRET, 128)
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    for n in range((size - 1) // 64):
        accumulate(acc, stripe(data, 64 * n), keys[n % 16])
        if n % 16 == 15 and (n + 1) * 64 <= (size - 1) // 1024 * 1024:
            acc = [(a ^ a >> 47 ^ k) * P32_1 & M64 for a, k in zip(acc, scramble_keys)]
    accumulate(acc, stripe(data, size - 64), stripe(SECRET, 121))
    return acc


def merged(acc, key, start):
    for i in range(4):
        start += fold(acc[2 * i] ^ s64(key + 16 * i), acc[2 * i + 1] ^ s64(key + 16 * i + 8))
    return avalanche(start & M64)


# ---- 64 bits ----

def digest64(data):
    size = len(data)
    if size == 0:
        return avalanche_xxh64(s64(56) ^ s64(64))
    if size <= 3:
        return avalanche_xxh64(packed_1_to_3(data) ^ r32(SECRET, 0) ^ r32(SECRET, 4))
    if size <= 8:
        return rrmxmx(r32(data, size - 4) + (r32(data, 0) << 32) ^ s64(8) ^ s64(16), size)
    if size <= 16:
        low = r64(data, 0) ^ s64(24) ^ s64(32)
        high = r64(data, size - 8) ^ s64(40) ^ s64(48)
        return avalanche(size + swap64(low) + high + fold(low, high) & M64)
    acc = size * P64_1
    if size <= 128:
        for i in range((size - 1) // 32, -1, -1):
            acc += mix16(data, 16 * i, 32 * i) + mix16(data, size - 16 * (i + 1), 32 * i + 16)
        return avalanche(acc & M64)
    if size <= 240:
        for i in range(8):
            acc += mix16(data, 16 * i, 16 * i)
        acc = avalanche(acc & M64)
        for i in range(8, size // 16):
            acc += mix16(data, 16 * i, 16 * (i - 8) + 3)
        return avalanche(acc + mix16(data, size - 16, 119) & M64)
    return merged(lanes_of_long(data), 11, acc & M64)


# ---- 128 bits ----

def mix32(low, high, data, at, then, key):
    low = low + mix16(data, at, key) & M64 ^ r64(data, then) + r64(data, then + 8) & M64
    high = high + mix16(data, then, key + 16) & M64 ^ r64(data, at) + r64(data, at + 8) & M64
    return low, high


def finish128(low, high, size):
    last = low * P64_1 + high * P64_4 + size * P64_2 & M64
    return avalanche(low + high & M64), -avalanche(last) & M64


def digest128_4_to_8(data):
    size = len(data)
    keyed = r32(data, 0) + (r32(data, size - 4) << 32) ^ s64(16) ^ s64(24)
    product = keyed * (P64_1 + (size << 2))
    low, high = product & M64, product >> 64
    high = high + (low << 1) & M64
    low ^= high >> 3
    low = (low ^ low >> 35) * PMX_2 & M64
    return low ^ low >> 28, avalanche(high)


def digest128_9_to_16(data):
    size = len(data)
    first, last = r64(data, 0), r64(data, size - 8)
    product = (first ^ last ^ s64(32) ^ s64(40)) * P64_1
    low = product + ((size - 1) << 54) & M64
    last ^= s64(48) ^ s64(56)
    high = (product >> 64) + last + (last & M32) * (P32_2 - 1) & M64
    low ^= swap64(high)
    product = low * P64_2
    return avalanche(product & M64), avalanche((product >> 64) + high * P64_2 & M64)


def digest128(data):
    size = len(data)
    if size == 0:
        return avalanche_xxh64(s64(64) ^ s64(72)), avalanche_xxh64(s64(80) ^ s64(88))
    if size <= 3:
        packed = packed_1_to_3(data)
        swapped = swap32(packed)
        turned = (swapped << 13 | swapped >> 19) & M32
        return (avalanche_xxh64(packed ^ r32(SECRET, 0) ^ r32(SECRET, 4)),
                avalanche_xxh64(turned ^ r32(SECRET, 8) ^ r32(SECRET, 12)))
    if size <= 8:
        return digest128_4_to_8(data)
    if size <= 16:
        return digest128_9_to_16(data)
    low, high = size * P64_1 & M64, 0
    if size <= 128:
        for i in range((size - 1) // 32, -1, -1):
            low, high = mix32(low, high, data, 16 * i, size - 16 * (i + 1), 32 * i)
        return finish128(low, high, size)
    if size <= 240:
        for i in range(4):
            low, high = mix32(low, high, data, 32 * i, 32 * i + 16, 32 * i)
        low, high = avalanche(low), avalanche(high)
        for i in range(4, size // 32):
            low, high = mix32(low, high, data, 32 * i, 32 * i + 16, 32 * (i - 4) + 3)
        low, high = mix32(low, high, data, size - 16, size - 32, 103)
        return finish128(low, high, size)
    acc = lanes_of_long(data)
    return merged(acc, 11, low), merged(acc, 117, ~(size * P64_2) & M64)
