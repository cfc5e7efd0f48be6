# SPDX-License-Identifier: Apache-2.0
# Made by make_assertions.py 1 700; the values are Python's.
a = 7
b = -3
c = 12
x = 2.5
s = 'Hello'
assert [i * p for i, p in enumerate((-2.0, b,))] == [-0.0, -3]
assert ([3.25, b] * 2)[-3] == -3
assert s.upper() == 'HELLO'
assert str(int(min(3.25, -2.0))) == '-2'
assert [i * p for i, p in enumerate(((False, 36, b, x,) * 2))] == [0, 36, -6, 7.5, 0, 180, -18, 17.5]
assert ('a_b' + '') == 'a_b'
assert list(range(6, 5, -1)) == [6]
assert ((a % x) if (3.25 in [34, True]) else (0.5 if True else x)) == 0.5
assert f'{a}_q' == '7_q'
assert list(zip((1 * (0.5, 5, True, a,)), list(range(-2, 5, 1)))) == [(0.5, -2), (5, -1), (True, 0), (7, 1)]
assert (4 if True else 2) == 4
assert [i * p for i, p in enumerate([-2.0, 31, b])] == [-0.0, 31, -6]
assert ((False, x,) * 2) == (False, 2.5, False, 2.5)
assert [i * p for i, p in enumerate([3.25, b])] == [0.0, -3]
assert f'{a < b}_' == 'False_'
assert (list((c,)) + list((2 * (21, 0.5, 3.25, -2.0,)))) == [12, 21, 0.5, 3.25, -2.0, 21, 0.5, 3.25, -2.0]
assert float(list(reversed(list(reversed([True, x, 1, False]))))[0]) == 1.0
assert 3 == 3
assert 0.5 == 0.5
assert True == True
assert [(0 or a), (~c), (-2.0 ** 0), len((-2.0, False,))] == [7, -13, -1.0, 2]
assert list(enumerate(list(reversed((5, b, b,))))) == [(0, -3), (1, -3), (2, 5)]
assert all((x, a, 1,)) == True
assert -2.0 == -2.0
assert [i * p for i, p in enumerate([-6, -2.0, False])] == [0, -2.0, 0]
assert list(range(6, -2, 2)) == []
assert ('' == s) == False
assert (a and ((-3.25) * True)) == -3.25
assert str(int((a // c))) == '0'
assert list(range(0, 6, -1)) == []
assert float(a) == 7.0
assert (-False) == 0
assert [(x if False else x)] == [2.5]
assert (False ** 3) == 0
assert [i * 3 for i in (3, (5 // x), True,) if i > 5] == []
assert (5 == False == c) == False
assert str(bool(a < b)).lower() == 'false'
assert ('abc' in ('x' * 3)) == False
assert list(enumerate([int(False), sum([c, -2.0, -2.0, -2.0])])) == [(0, 0), (1, 6.0)]
assert ('a_b'[5:0] * 1) == ''
assert list(enumerate(((0 * [a, 1]) * 2))) == []
assert ((a ** 1) ** 1) == 7
assert max((a if a < b else True), sum([3.25, 4])) == 7.25
assert str(int(False)) == '0'
assert (1 * [21, -2.0, a, False]) == [21, -2.0, 7, False]
assert b == -3
assert [p[0] - p[1] for p in zip(((c / a), max(4, b), c,), [(a if a < b else 18)])] == [-16.285714285714285]
assert (abs(-1) / (3.25 if True else x)) == 0.3076923076923077
assert s[:0] == ''
assert [p[0] - p[1] for p in zip((-1 * (True,)), (-1 * (3.25, x, 0,)))] == []
assert list(enumerate([-8 for i in range(2)])) == [(0, -8), (1, -8)]
assert (x > 1, (a or c),) == (True, 7)
assert ([a, -2.0, 3.25] * 0) == []
assert (2 * list(reversed(((0.5,) * 1)))) == [0.5, 0.5]
assert ((s + 'abc') * 2).lower() == 'helloabchelloabc'
assert [x > 1, [True, 15, True][1], (-2.0 if True else 0.5)] == [True, 15, -2.0]
assert [p[0] - p[1] for p in zip([32, a, 3.25], (3,))] == [29]
assert all((x, -2.0,)) == True
assert ([b, 0.5, a, c][:][-2] if ((-8 or 3) == min(True, b) < c) else c) == 12
assert (a, False,) == (7, False)
assert list(range(6, 0, -2)) == [6, 4, 2]
assert (list([3.25, x]) + list((False, c,)))[2] == False
assert ((s * 3) != ''.lower()) == True
assert [i * p for i, p in enumerate([False, 31, 3.25])] == [0, 31, 6.5]
assert min((1 ** 2), a) == 1
assert [max([b, 4, b, -2.0])] == [4]
assert sum([a]) == 7
assert list(enumerate([-2.0, 3, True])) == [(0, -2.0), (1, 3), (2, True)]
assert int((((x | 0.5) if (0.5 <= 0) else min(9, b)) ** 2)) == 9
assert list(enumerate(list(range(-1, 7, 2)))) == [(0, -1), (1, 1), (2, 3), (3, 5)]
assert c == 12
assert 'x'.lower() == 'x'
assert 2 == 2
assert (str(int((-b))) * 1)[:-4] == ''
assert [False, (not True)] == [False, False]
assert str(bool(abs(3.25))).upper() == 'TRUE'
assert ((c, c, 38,) * 0)[:] == ()
assert [i * p for i, p in enumerate((-2.0,))] == [-0.0]
assert list(enumerate((x, c, b, b,))) == [(0, 2.5), (1, 12), (2, -3), (3, -3)]
assert (not any(([c, False, False, 2] * 0))) == True
assert (list([24, 0]) + list([23, x]))[2] == 23
assert (a // (x or False)) == 2.0
assert [1 for i in range(3)] == [1, 1, 1]
assert (list(((17, 3.25, 3.25,) * 0)) + list((True, True,)[-1:-4])) == []
assert list(enumerate((-2.0, c, c, a,))) == [(0, -2.0), (1, 12), (2, 12), (3, 7)]
assert 0.5 == 0.5
assert (('x' * 0)[:-1] * 3) == ''
assert min(True, 0.5) == 0.5
assert str(bool((0.5 if x > 1 else 2))) == 'True'
assert list(zip(list(reversed(list(tuple([True, True, x, b])))), [-2.0 for i in range(1)])) == [(-3, -2.0)]
assert [(~int(-2.0)), (2 * [-2.0, c, True])[0], x] == [1, -2.0, 2.5]
assert (abs(a < b) & len([True, b, 0.5])) == 0
assert list(enumerate(list(range(2, 12, -2)))) == []
assert f'{s}_q' == 'Hello_q'
assert (x == -2.0) == False
assert True == True
assert (-(29 ** 0)) == -1
assert ((c, x, a,) * 1) == (12, 2.5, 7)
assert (20 or b) == 20
assert min((list([3.25, b, c]) + list((3.25, 3.25,)))) == -3
assert -4 == -4
assert (b / True) == -3.0
assert (max(29, [c, True, 21, 0.5][-3]), ((+-2.0) % (-4)), (False << (c ** 3)),) == (29, -2.0, 0)
assert f'{a + c}_q' == '19_q'
assert list(zip(list(reversed([-2.0])), list(tuple((-2.0, -2.0, c,))))) == [(-2.0, -2.0)]
assert ((bool(True) and (b, 6, 6, 5,)[-1]) and (max((True, 29, a, -8,)) or bool(3.25))) == 29
assert [i * p for i, p in enumerate([a for i in range(1)])] == [0]
assert (list([1]) + list([2, 0.5, 39, False])) == [1, 2, 0.5, 39, False]
assert list(zip((1 * [c for i in range(0)]), (1 * (1 * [x])))) == []
assert f'{a < b}_q' == 'False_q'
assert [False, a, 0.5, b][-4:] == [False, 7, 0.5, -3]
assert c == 12
assert [x, -2.0, 5][-1:] == [5]
assert (str(int(False)) * 0) == ''
assert ((f'{a < b}_q' * 0) + (str(bool(c)) * 3)) == 'TrueTrueTrue'
assert ('' * 1) == ''
assert min((-a), (~a)) == -8
assert (3.25, x, 3.25, 3.25,)[-2] == 3.25
assert 4 == 4
assert (s[:2] + str(bool((1 if False else 0)))) == 'HeFalse'
assert ('a_b'.lower() + (s * 1)) == 'a_bHello'
assert [i * p for i, p in enumerate([0.5, False, 5])] == [0.0, 0, 10]
assert (list([False]) + list((a,)))[:] == [False, 7]
assert 'x'.upper() == 'X'
assert ((False ** 1), (0 if True else 5), (True - 2), (c, 3.25, x, True,)[-3],) == (0, 0, -1, 3.25)
assert ('abc' * 1)[:1:1].lower() == 'a'
assert list(tuple((0.5, False, 37, -2.0,))) == [0.5, False, 37, -2.0]
assert bool((2 * (x, 0.5, 5,))[-1]) == True
assert list(zip([0.5], (3.25, c,))) == [(0.5, 3.25)]
assert [0.5][:][0] == 0.5
assert ''[-4:4][:] == ''
assert list(enumerate([a])) == [(0, 7)]
assert max((-0.5), (b and 2)) == 2
assert str(int([38, x, b][1])).lower() == '2'
assert ((True in (x, False, 3.25, True,)) if (s in s[:2]) else 8) == 8
assert (f'{a + c}_'.upper() + f'{s}_') == '19_Hello_'
assert (sum([True]) << False) == 1
assert [i * p for i, p in enumerate([c, 3.25])] == [0, 3.25]
assert [i * p for i, p in enumerate([x, 5])] == [0.0, 5]
assert ('' + 'x').upper() == 'X'
assert False == False
assert [p[0] - p[1] for p in zip([-6, 0.5], (0.5, 1, False, 0.5,))] == [-6.5, -0.5]
assert list(tuple((-1 * ([c, False, True] * 0)))) == []
assert list(range(3, 4, 1))[-2:1] == [3]
assert [i * p for i, p in enumerate(list(tuple([0.5, a, 37, False])))] == [0.0, 7, 74, 0]
assert f'{s}_'.lower() == 'hello_'
assert list(zip((3.25, c, x,), list(range(-1, 5, 2)))) == [(3.25, -1), (12, 1), (2.5, 3)]
assert ((-8 // 31) ** 3) == -1
assert (s.upper() * 0) == ''
assert ([c] * 0) == []
assert str(bool((b,)[-1])).upper() == 'TRUE'
assert [(+a) for i in range(2)] == [7, 7]
assert list(zip([17, 14], [a, False, a])) == [(17, 7), (14, False)]
assert [(False + c) for i in range(0)] == []
assert str(bool(False)) == 'False'
assert list(zip([3.25 for i in range(3)], (2, -2.0,))) == [(3.25, 2), (3.25, -2.0)]
assert ((('x' * 1) + str(bool((+x)))) + f'{a + c}_'[:0:-2]) == 'xTrue_'
assert ('abc' * 2) == 'abcabc'
assert (-1 / max(False, abs(c))) == -0.08333333333333333
assert (list([0.5, False, 3.25]) + list([x, x]))[4] == 2.5
assert 'abc'[:] == 'abc'
assert int(2) == 2
assert 'a_b'[:] == 'a_b'
assert [5] == [5]
assert list(zip((0.5, True, True,), (False, False, b,))) == [(0.5, False), (True, False), (True, -3)]
assert max((not x), x > 1) == True
assert (2 * (x, 3,)) == (2.5, 3, 2.5, 3)
assert True == True
assert min(((False ^ c) or True), min(False, max(a, 3))) == False
assert list(zip((34,), (x, c,))) == [(34, 2.5)]
assert list(zip(list(range(-1, 0, 2)), [(-20), [0.5, False, 3.25][0]])) == [(-1, -20)]
assert ((9 + c) ** 1) == 21
assert (int(True) | (not 0.5)) == 1
assert min(((0.5 ** 3) and False), max((0.5 + c), (-2.0 if a < b else c))) == False
assert ('abc' * 0) == ''
assert s[-5:] == 'Hello'
assert 4 == 4
assert 'x'.upper().lower() == 'x'
assert (a if a < b else a) == 7
assert f'{a < b}_q' == 'False_q'
assert [-4, -2.0][0] == -4
assert str(bool(5)) == 'True'
assert ('a_b' + s) == 'a_bHello'
assert list(tuple(([False, 0.5, c] * 3))) == [False, 0.5, 12, False, 0.5, 12, False, 0.5, 12]
assert (min([-8, 2]) if (x != c) else (1 or -2.0)) == -8
assert (2 if x > 1 else x) == 2
assert [i * p for i, p in enumerate([x, a])] == [0.0, 7]
assert (str(int((b ** 0))) * 1)[:3] == '1'
assert -2.0 == -2.0
assert list(enumerate([3.25, 0.5, True, False])) == [(0, 3.25), (1, 0.5), (2, True), (3, False)]
assert bool(True) == True
assert 'abc'[:] == 'abc'
assert [i * p for i, p in enumerate((-1, True,))] == [0, 1]
assert [i * p for i, p in enumerate([c, b, b])] == [0, -3, -6]
assert ((3 and a) + (b ** 2)) == 16
assert f'{a + c}_' == '19_'
assert (not (0 <= -9 <= c)) == True
assert [3, (-2.0 / max(c, -2.0)), (-(a or True))] == [3, -0.16666666666666666, -7]
assert [i * 2 for i in (False, 3, 40, a,) if i > 5] == [80, 14]
assert True == True
assert list(enumerate((0.5, x, 3.25, 3.25,))) == [(0, 0.5), (1, 2.5), (2, 3.25), (3, 3.25)]
assert [p[0] - p[1] for p in zip((1 * (0.5,)), [min([0, -9, True])])] == [9.5]
assert str(int((a & True)))[:-5] == ''
assert [i * 2 for i in [False, 3.25] if i > 5] == []
assert (0 - False) == 0
assert [p[0] - p[1] for p in zip((b, c, 0,), [a, -2.0, b, -2.0])] == [-10, 14.0, 3]
assert [i * p for i, p in enumerate((a,))] == [0]
assert (~min([b, 3.25])) == 2
assert ('a_b' in f'{a}_q') == False
assert [p[0] - p[1] for p in zip((3.25, True, c,), (a, 3.25, 29, 29,)[::3])] == [-3.75, -28]
assert ((0.5 ** 3) or 31) == 0.125
assert [(int(3) ** 0) for i in range(0)] == []
assert (f'{a + c}_q' != str(int(a))) == True
assert [p[0] - p[1] for p in zip((-4, a, 0.5, 5,), [-2.0])] == [-2.0]
assert (False, 5, a,) == (False, 5, 7)
assert [b for i in range(2)] == [-3, -3]
assert max(min(False, -2.0), max(3.25, False)) == 3.25
assert list(zip((c, 3, -2.0,), (0 * (x,)))) == []
assert [i * p for i, p in enumerate([-2.0, 4])] == [-0.0, 4]
assert (int(b),) == (-3,)
assert s[-4::1] == 'ello'
assert (-2.0 ** 3) == -8.0
assert [i * p for i, p in enumerate((-2.0, -2.0,))] == [-0.0, -2.0]
assert list(zip((2 * (0.5, -1,)), ((b ** 3), (b | 20), True,))) == [(0.5, -27), (-1, -3), (0.5, True)]
assert ((not True) - (x * True)) == -2.5
assert -2.0 == -2.0
assert ('abc' * 0) == ''
assert ((not all((x, 0.5, True,))) >> (c ** 0)) == 0
assert min(((12 or False) + (0.5 - a)), 36) == 5.5
assert [(True ** 2) for i in range(1)] == [1]
assert (('' + 'abc') + (s * 2)) == 'abcHelloHello'
assert (b, True, c, a,) == (-3, True, 12, 7)
assert [i * p for i, p in enumerate((4,))] == [0]
assert (('x'[-3:] + s.lower()) + ((s + 'a_b') * 2)) == 'xhelloHelloa_bHelloa_b'
assert (a, 20, -2.0, -2.0,)[-2] == -2.0
assert min(((-2.0 and b) ** 3), sum(([3.25, a] * 3))) == -27
assert 'x'.lower() == 'x'
assert min(((+bool(0.5)) | (~(1 | 2))), (-(-2.0, 0.5, False, 0.5,)[-3])) == -3
assert float((c ** 3)) == 1728.0
assert (sum((c, 4,)) >= False == c) == False
assert [i * p for i, p in enumerate([False])] == [0]
assert str(int(True)).lower() == '1'
assert [i * 2 for i in (list(list(tuple((x,)))) + list([3.25 for i in range(2)])) if i > 0] == [5.0, 6.5, 6.5]
assert (((a and 3) ** 0),) == (1,)
assert list(enumerate((a, a, 3.25, b,))) == [(0, 7), (1, 7), (2, 3.25), (3, -3)]
assert ((-1 % -2.0), (-2.0, False, -2.0,)[-2],) == (-1.0, False)
assert ''[:-4] == ''
assert (x > 1, (c ** 2), min((a,)), True,) == (True, 144, 7, True)
assert sum([0.5]) == 0.5
assert [p[0] - p[1] for p in zip([(17 | 4) for i in range(2)], [(True / 2) for i in range(1)])] == [20.5]
assert (((+7) and abs(b)) - (+[3.25, True, a, -2.0][-2])) == -4
assert ('x' in 'x') == True
assert min((+False), (int((x and b)) ** 3)) == -27
assert sum([i * 1 for i in (list([a]) + list((-2.0, 3.25,))) if i != -3]) == 8.25
assert list(zip((-2.0, True, x, c,), [3.25, 32, x])) == [(-2.0, 3.25), (True, 32), (2.5, 2.5)]
assert list(zip(list(tuple((38,))), (-2.0, 3, a,))) == [(38, -2.0)]
assert ''.upper() == ''
assert (+(~c)) == -13
assert (not max(max(c, 34), int(True))) == False
assert list(enumerate([False])) == [(0, False)]
assert (min([b, 5]), (True | c), (0.5 or x),) == (-3, 13, 0.5)
assert 'a_b'[-4:-4:3].upper() == ''
assert (((not c) if ((s * 2) != 'abc'[::2]) else (-float(-2.0))) * max((3.25,))) == 0.0
assert list(enumerate([b, 0.5])) == [(0, -3), (1, 0.5)]
assert (x > 1 or (False // False)) == True
assert list(range(3, 2, -2)) == [3]
assert list(enumerate((3.25, (not x),))) == [(0, 3.25), (1, False)]
assert f'{a}_' == '7_'
assert (min(max(x, False), (12 if True else True)) and (s >= s)) == True
assert c == 12
assert list(enumerate([-2.0, 5, x, 0][4:3:2])) == []
assert 'x'.upper() == 'X'
assert [len(list(tuple((x, 5, c,)))) for i in range(2)] == [3, 3]
assert max([x > 1, float(x)]) == 2.5
assert ((~(29 % 3)) + min([i * 3 for i in [False] if i != -3])) == -3
assert any([a, -2.0, b]) == True
assert [c, x, True] == [12, 2.5, True]
assert [i * p for i, p in enumerate((x, 3, 9, -2.0,))] == [0.0, 3, 18, -6.0]
assert f'{a}_' == '7_'
assert (-2.0 if a < b else 0.5) == 0.5
assert [x, x] == [2.5, 2.5]
assert (('abc' + s) * 1) == 'abcHello'
assert f'{s}_' == 'Hello_'
assert list(range(2, 6, -2)) == []
assert ([10, b, x, True] * 3) == [10, -3, 2.5, True, 10, -3, 2.5, True, 10, -3, 2.5, True]
assert 'x'.lower() == 'x'
assert (min(0.5, 3.25) ** 3) == 0.125
assert list(range(-1, 4, 1)) == [-1, 0, 1, 2, 3]
assert (True,) == (True,)
assert ('abc' * 3) == 'abcabcabc'
assert [i * p for i, p in enumerate([False, c, -2.0])] == [0, 12, -4.0]
assert ((True ** 3) ** 3) == 1
assert str(bool(min(c, b))) == 'True'
assert list(zip((b, a, -2.0, 0,), (b,))) == [(-3, -3)]
assert list(zip((0.5, 3.25,)[4:], (True, b, 0, -2.0,))) == []
assert [min((not c), (5 | False)) for i in range(2)] == [False, False]
assert (-float(True)) == -1.0
assert f'{s}_q' == 'Hello_q'
assert str(bool(max((c, -2.0, 0.5,)))) == 'True'
assert ((x or 4) + x > 1) == True
assert list(range(-1, 8, 3)) == [-1, 2, 5]
assert (f'{a + c}_q' + 'x'.upper()) == '19_qX'
assert (('abc' + 'abc')[:2] + (''[-1:] + 'abc'[0:1:2])) == 'aba'
assert float(False) == 0.0
assert (+('x' != 'x')) == 0
assert 1 == 1
assert f'{a < b}_' == 'False_'
assert str(bool((False + False))) == 'False'
assert (x and -8) == -8
assert False == False
assert [(False or x) for i in range(0)] == []
assert ((22 >> True) * (-2.0 // 0.5)) == -44.0
assert max((list((False, 0.5,)) + list((a,)))) == 7
assert abs((0.5,)[-1]) == 0.5
assert ('a_b'[:] * 1) == 'a_b'
assert ((0.5 ^ 0) if (x < 0 <= c) else -2.0) == -2.0
assert a == 7
assert list(zip([False, True, x, -2.0], ((5,) * 2))) == [(False, 5), (True, 5)]
assert (3.25 ** 2) == 10.5625
assert list(enumerate([True, 3.25, (False ** 3)])) == [(0, True), (1, 3.25), (2, 0)]
assert f'{a + c}_' == '19_'
assert ('' * 1)[-4:-2:3][:4] == ''
assert (1 * [3.25, 3.25, c, a]) == [3.25, 3.25, 12, 7]
assert ('x' * 3) == 'xxx'
assert (max(b, -2.0) if ('a_b' in 'a_b') else 2) == -2.0
assert [5, x, 32, -2.0][-5::2] == [5, 32]
assert min((False, 3, (x ** 2), bool(0.5),)) == False
assert ((s + 'abc') + 'a_b'.lower()).lower() == 'helloabca_b'
assert (-(float(10) ** 1)) == -10.0
assert (list([0.5, b]) + list(([b, 3.25, a] * 2))) == [0.5, -3, -3, 3.25, 7, -3, 3.25, 7]
assert (f'{a}_' + str(bool(abs(-2.0)))) == '7_True'
assert -2.0 == -2.0
assert list(zip([c, x][4:0], [3.25 for i in range(0)])) == []
assert list(zip((x, x, 3.25, -2.0,), (c,))) == [(2.5, 12)]
assert [(-2.0 * True), a < b, (b << False)] == [-2.0, False, -3]
assert [i * p for i, p in enumerate((True,))] == [0]
assert 23 == 23
assert list(zip((1 * (b, -2.0, 17,)), (-1 * (14, a, True, x,)))) == []
assert ((s in 'a_b') ** 3) == 0
assert list(enumerate(list(reversed((-1 * [b, 31, -9, x]))))) == []
assert (('a_b' + s) + (s * 0)) == 'a_bHello'
assert list(enumerate(((c,) * 0))) == []
assert str(int(min(False, c))) == '0'
assert ('x' * 1) == 'x'
assert (max(3.25, c) not in (True, c, 6, c,)) == False
assert ('abc' * 1) == 'abc'
assert list(enumerate([False])) == [(0, False)]
assert (12 >> c) == 0
assert (True ** 0) == 1
assert (+[23, a, a, -2.0][0]) == 23
assert str(int(b)).lower() == '-3'
assert str(int((-a))) == '-7'
assert (min((True ^ 10), (x > 1 - int(c))) >> all([x, 27, a, True])) == 0
assert (not (b | a)) == False
assert (c, True,) == (12, True)
assert [i * p for i, p in enumerate((c, False,))] == [0, 0]
assert list(enumerate([(-16), (5 if x > 1 else a), max([c, a, 4])])) == [(0, -16), (1, 5), (2, 12)]
assert [i * p for i, p in enumerate((True, False, False,))] == [0, 0, 0]
assert [i * p for i, p in enumerate([x, b])] == [0.0, -3]
assert str(bool((c and 0))) == 'False'
assert max(max([0.5 for i in range(3)]), ((a ** 3) ** 0)) == 1
assert [i * p for i, p in enumerate((x, 23, a,))] == [0.0, 23, 14]
assert ('a_b' * 1) == 'a_b'
assert s[:4][:].upper() == 'HELL'
assert list(zip((c, c,), [2, c, -8])) == [(12, 2), (12, 12)]
assert ((3, (0 if a < b else False),) * 3) == (3, False, 3, False, 3, False)
assert (True & (+a)) == 1
assert a == 7
assert ('x' + s) == 'xHello'
assert [i * p for i, p in enumerate([-2.0, x, c, a])] == [-0.0, 2.5, 24, 21]
assert (str(int(sum((0.5, False, 3.25,)))) * 1) == '3'
assert (min(list(reversed([b]))) ** 0) == 1
assert ([i * 2 for i in (3.25, a, 4,) if i < 5] * 3) == [6.5, 8, 6.5, 8, 6.5, 8]
assert list(zip([True], [c, 4, -2.0])) == [(True, 12)]
assert ((2 * ((False,) * 1)) * 3) == (False, False, False, False, False, False)
assert list(zip(((2 * (10,)) * 1), [i * 3 for i in list(reversed([5, True])) if i != 5])) == [(10, 3)]
assert int(a) == 7
assert [i * p for i, p in enumerate((list([22 for i in range(0)]) + list([3.25, 2])))] == [0.0, 2]
assert [i * p for i, p in enumerate([c, False, c, 3.25])] == [0, 0, 24, 9.75]
assert s.lower() == 'hello'
assert min([i * 3 for i in ([x, c, 3.25] * 1) if i > -3]) == 7.5
assert (True * False) == 0
assert max((True, True, b,)) == True
assert [i * 3 for i in ((True, c, 35,) * 2) if i < 5] == [3, 3]
assert (False == (3.25 ** 0) < c) == False
assert len((2 * list(reversed([x])))) == 2
assert [x > 1, (b | False)] == [True, -3]
assert (23 // sum([1, 38, a, False])) == 0
assert list(enumerate((x, c, c,))) == [(0, 2.5), (1, 12), (2, 12)]
assert [max(-2.0, x) for i in range(2)] == [2.5, 2.5]
assert list(enumerate([True, x, 3.25])) == [(0, True), (1, 2.5), (2, 3.25)]
assert (c,) == (12,)
assert ((not b) and max((1,))) == False
assert ('a_b' + 'abc') == 'a_babc'
assert ('x' + 'a_b')[5:-1][-5:0] == ''
assert [i * 3 for i in (33, b,) if i < 5] == [-9]
assert sum([i * 2 for i in [25, x, b] if i > -3]) == 55.0
assert 3.25 == 3.25
assert b == -3
assert (max((c or False), (b ^ b)) in list(tuple((1,)))) == False
assert (not max(b, b)) == False
assert ((1 if True else c) - max(6, 10)) == -9
assert (sum([5 for i in range(2)]) // (x if (not a < b) else True)) == 4.0
assert [i * p for i, p in enumerate(list(tuple([i * 3 for i in (c, c, c, 10,) if i < -3])))] == []
assert f'{a + c}_' == '19_'
assert True == True
assert ('x' + '') == 'x'
assert (not False) == True
assert list(range(4, 4, 2)) == []
assert 6 == 6
assert [p[0] - p[1] for p in zip((5, 2, False,), (x, True,))] == [2.5, 1]
assert sum([b for i in range(1)]) == -3
assert (True / -2.0) == -0.5
assert (c if False else x) == 2.5
assert list(range(0, 3, 1)) == [0, 1, 2]
assert f'{s}_'[2:] == 'llo_'
assert f'{s}_q' == 'Hello_q'
assert list(zip((c,), (-2.0,))) == [(12, -2.0)]
assert False == False
assert [i * p for i, p in enumerate(list(range(-2, -3, -2)))] == [0]
assert ((-3.25) ** 1) == -3.25
assert (('a_b' * 1) + ('abc' * 2)).upper() == 'A_BABCABC'
assert ([a, True, 0.5, True][1] or (a if True else a)) == True
assert ('a_b' + s) == 'a_bHello'
assert ('abc' + 'x').upper() == 'ABCX'
assert (True + (-(min(b, a) / float(True)))) == 4.0
assert ((3.25 // x) or True) == 1.0
assert list(zip((x,), list(reversed((b, c, True, 0.5,))))) == [(2.5, 0.5)]
assert [i * 2 for i in (list([False]) + list([b][:3])) if i != -3] == [0]
assert (0.5 ** 0) == 1.0
assert (min(a, True), b, min([3]), (False and 3.25),) == (True, -3, 3, False)
assert 3 == 3
assert a == 7
assert [p[0] - p[1] for p in zip((a, False, x, True,), [0.5, b])] == [6.5, 3]
assert False == False
assert (list((c, c, -2.0,)) + list((False, c, 3.25,))) == [12, 12, -2.0, False, 12, 3.25]
assert 3.25 == 3.25
assert ((s * 3) + 'abc'.upper()) == 'HelloHelloHelloABC'
assert (1 * [(False * 0.5), len((c,)), bool(b)]) == [0.0, 1, True]
assert (('abc'.upper() + str(int((22 and c)))) * 1) == 'ABC12'
assert (1 + 20) == 21
assert ('' * 1).lower()[-5:3] == ''
assert max(3.25, -2.0) == 3.25
assert ('' + 'x') == 'x'
assert 1 == 1
assert ([2 for i in range(2)] * 3)[4] == 2
assert f'{s}_q' == 'Hello_q'
assert (5 / x > 1) == True
assert [i * p for i, p in enumerate((0 * [0.5, False]))] == []
assert [p[0] - p[1] for p in zip(((4 or -2.0), min(False, a), [1, -2.0][1], True,), (4,))] == [0]
assert (list([x, 3.25][:-4]) + list([c, True][:1:3])) == [12]
assert (('abc' + '').upper() + f'{a < b}_q'[::-2]) == 'ABCqelF'
assert sum((list((False,)) + list([3.25, 3.25]))) == 6.5
assert (c, c, -2.0, c,) == (12, 12, -2.0, 12)
assert 'abc'[:3:3].upper() == 'A'
assert [x, min((+a), min(b, True))] == [2.5, -3]
assert [p[0] - p[1] for p in zip(((c << False), 0.5,), ((a, b, -2.0,) * 0))] == []
assert c == 12
assert str(int(max(-2.0, 0.5)))[-3:-5] == ''
assert ((c and (x ** 0)) or ((0.5 or x) - 3.25)) == 1.0
assert max((not abs(c)), sum((0 * [-2.0, a, 4, 0.5]))) == False
assert list(enumerate(list(range(5, 2, 2)))) == []
assert list(enumerate((40, -2.0,))) == [(0, 40), (1, -2.0)]
assert a == 7
assert bool(b) == True
assert (1, x, False,) == (1, 2.5, False)
assert list(range(-3, 9, -1)) == []
assert ''.upper() == ''
assert list(enumerate([x])) == [(0, 2.5)]
assert list(enumerate((False, (-2.0,)[0], 0,))) == [(0, False), (1, -2.0), (2, 0)]
assert list(zip(((32, True, False,) * 3), (2 * [x, x]))) == [(32, 2.5), (True, 2.5), (False, 2.5), (32, 2.5)]
assert (0.5,) == (0.5,)
assert (f'{a + c}_q' * 3) == '19_q19_q19_q'
assert (''.lower() + f'{a}_q') == '7_q'
assert f'{a + c}_'.lower()[:] == '19_'
assert (min(x, 3.25) ** 3) == 15.625
assert str(int(b)) == '-3'
assert (0.5 ** 0) == 1.0
assert max((False * a), min((-2.0,))) == 0
assert [(b if a < b else True), int(3), bool(b), (4 // -2.0)] == [True, 3, True, -2.0]
assert f'{a + c}_q' == '19_q'
assert f'{a + c}_q' == '19_q'
assert str(bool(False)).lower() == 'false'
assert (+(-2.0 == b < c)) == 0
assert (2 * list(range(-3, 11, 2))) == [-3, -1, 1, 3, 5, 7, 9, -3, -1, 1, 3, 5, 7, 9]
assert f'{s}_q'.lower() == 'hello_q'
assert [i * p for i, p in enumerate([0, c, -2.0])] == [0, 12, -4.0]
assert (3.25, 0.5, True, 2,) == (3.25, 0.5, True, 2)
assert list(enumerate([16])) == [(0, 16)]
assert (s + 'abc') == 'Helloabc'
assert [p[0] - p[1] for p in zip([False, b, 3.25], [18])] == [-18]
assert min(x, b) == -3
assert (1 * [3.25, a, 15])[:0:1] == []
assert (-2.0 ** 2) == -4.0
assert (not c) == False
assert (+40) == 40
assert [min(b, False)] == [-3]
assert (((c >> True) / (0.5 ** 3)), int((-2.0 ** 3)),) == (48.0, -8)
assert list(zip([float(a), (+0.5)], ((not a), True,))) == [(7.0, False), (0.5, True)]
assert (x or ((max(x, True) if ('a_b' in 'abc') else (13 ** 0)) ^ (False != a < c))) == 2.5
assert ((x and a), max(19, c), 21, False,) == (7, 19, 21, False)
assert str(bool((x, -2.0, 0.5,)[0])).upper() == 'TRUE'
assert 'abc'[:] == 'abc'
assert [p[0] - p[1] for p in zip((c, x, a,), (True, a, 0.5,))] == [11, -4.5, 6.5]
assert [p[0] - p[1] for p in zip((list((16, False,)) + list([5, -2.0, 4])), ((a,) * 0))] == []
assert (s + 'abc') == 'Helloabc'
assert list(zip([(+a)], list(tuple([-2.0, c, a, -8]))[-5:-4])) == []
assert sum(list(tuple(((c and 0.5), 0.5,)))) == 1.0
assert (max(False, (+(not 0.5))) ** 3) == 0
assert False == False
assert (list((True, c, c, b,)) + list((False,)[:])) == [True, 12, 12, -3, False]
assert bool((+b)) == True
assert ((a - (True | 5)) or (((37 if False else 12) ** 3) - max(list(tuple((x, True,)))))) == 2
assert list(zip((-1 * [x, -2.0, 0.5, a]), (c, False, False, a,))) == []
assert ([min((a, 0.5, 3.25,)), (x ** 3), (-2.0 ** 1)] * 2) == [0.5, 15.625, -2.0, 0.5, 15.625, -2.0]
assert [b, -2.0, a, 3.25] == [-3, -2.0, 7, 3.25]
assert str(bool(min((b, False, True,)))).upper() == 'TRUE'
assert True == True
assert int(38) == 38
assert (not b) == False
assert c == 12
assert (min(3.25, 3.25) or abs(b)) == 3.25
assert str(int((25, 0.5, 1,)[1])) == '0'
assert (f'{s}_'.lower() * 0) == ''
assert ((False ** 1) * (True // c)) == 0
assert (+((29 if False else False) + (True ** 1))) == 1
assert list(zip((-1 * (c,)), [i * 1 for i in (x, 1, b, c,) if i < 0])) == []
assert list(zip([i * 2 for i in [0.5] if i < 5], (True,))) == [(1.0, True)]
assert [0, -2.0] == [0, -2.0]
assert str(int((c if True else 3.25))).upper() == '12'
assert 'abc'.upper() == 'ABC'
assert f'{s}_q' == 'Hello_q'
assert ((not (x if False else a)) * 3.25) == 0.0
assert f'{a + c}_q' == '19_q'
assert (x ** 2) == 6.25
assert ('x'.upper()[:5] * 3) == 'XXX'
assert [p[0] - p[1] for p in zip((x, 3.25, 3.25,), [True, 3.25, 0.5, b])] == [1.5, 0.0, 2.75]
assert (bool(((~x) >> max((0,)))) if (not (f'{a + c}_' < (s * 1))) else bool(('abc' >= 'abc'))) == True
assert [i * p for i, p in enumerate((x,))] == [0.0]
assert (-2.0 // 13) == -1.0
assert ((-2.0 if (14 not in (b, 0.5, 25,)) else (True or x)),) == (-2.0,)
assert (s.lower() + s.lower()) == 'hellohello'
assert a == 7
assert ('abc' + 'a_b') == 'abca_b'
assert (~(True % 5)) == -2
assert 2 == 2
assert list(range(0, 6, 1)) == [0, 1, 2, 3, 4, 5]
assert c == 12
assert list(range(-1, 7, -1)) == []
assert f'{a}_q' == '7_q'
assert x > 1 == True
assert ((min(list(reversed([7, True, b]))) << max((b, a, x,))) ** 1) == -384
assert ('abc'.upper() * 2) == 'ABCABC'
assert list(enumerate([b, a, a, -2.0][5::3])) == []
assert b == -3
assert (2 / 3.25) == 0.6153846153846154
assert ([i * 1 for i in (False,) if i > 5] * 3) == []
assert str(bool(min(True, 3.25))) == 'True'
assert (b, -2.0,) == (-3, -2.0)
assert [((2 // c) & a < b)] == [False]
assert list(enumerate((list(reversed((b, b,))) * 0))) == []
assert (abs(bool(min(1, c))) and ('x' in 'x'.lower())) == True
assert (-2.0 if a < b else 1) == 1
assert [i * p for i, p in enumerate([x, a, c])] == [0.0, 7, 24]
assert str(int(True)) == '1'
assert (f'{s}_' * 1) == 'Hello_'
assert s[2:2] == ''
assert list(enumerate([c, 3])) == [(0, 12), (1, 3)]
assert (s.lower() + 'a_b'[-2:-2])[:] == 'hello'
assert 1 == 1
assert f'{a < b}_q'.upper() == 'FALSE_Q'
assert True == True
assert max(b, c) == 12
assert (str(int(a)) * 1).lower() == '7'
assert list(enumerate((2, a, 0.5, a,))) == [(0, 2), (1, 7), (2, 0.5), (3, 7)]
assert [(not 0.5) for i in range(4)][3] == False
assert list(range(-2, 7, 1)) == [-2, -1, 0, 1, 2, 3, 4, 5, 6]
assert [i * p for i, p in enumerate((b, True,))] == [0, 1]
assert (3.25 * 29) == 94.25
assert any((True, 0.5, False, 2,)) == True
assert (list([False]) + list([0.5, False, 38, x]))[-3:4:-2] == []
assert max([b][-1:]) == -3
assert (not min(x, b)) == False
assert f'{s}_q' == 'Hello_q'
assert [p[0] - p[1] for p in zip((x, a, x,)[2:-3], ((-2.0, a, x,)[-2],))] == []
assert ((a ** 3) if ('abc' in 'abc') else (x if a < b else 0.5)) == 343
assert ('abc'[2::-1] * 3) == 'cbacbacba'
assert list(enumerate([-2.0, x, c, False])) == [(0, -2.0), (1, 2.5), (2, 12), (3, False)]
assert list(zip(list(range(-2, 4, -1)), [0.5, -2.0, a])) == []
assert (0 if (f'{a}_' != 'abc'.upper()) else ((True & True) // (False / a))) == 0
assert list(reversed([-6])) == [-6]
assert ((s.lower() * 2) > (str(int(True)) + (s + 'x'))) == True
assert list(zip((a, c, 3, False,), [x, 5, True, 0.5])) == [(7, 2.5), (12, 5), (3, True), (False, 0.5)]
assert [i * p for i, p in enumerate(([2] * 2))] == [0, 2]
assert (s[-4:] + str(int((3 + c)))) == 'ello15'
assert ('a_b' + s) == 'a_bHello'
assert (-2.0 and x) == 2.5
assert ('abc'.lower() + ('x' + 'a_b')) == 'abcxa_b'
assert [p[0] - p[1] for p in zip([25, a], [True, b, False])] == [24, 10]
assert list(range(6, 5, 1)) == []
assert (0.5 > True) == False
assert ((False and min(c, a)) | (b,)[0]) == -3
assert list(zip([-5 for i in range(1)], [-2.0, True])) == [(-5, -2.0)]
assert [True] == [True]
assert 0.5 == 0.5
assert list(zip([b, False], [-2.0])) == [(-3, -2.0)]
assert -2.0 == -2.0
assert (''[-5:2:2] * 1) == ''
assert sum([0.5]) == 0.5
assert (str(bool((False ^ a))).lower() * 1) == 'true'
assert ('a_b'[2:1] * 1) == ''
assert (s[0:5] * 2) == 'HelloHello'
assert [p[0] - p[1] for p in zip([x for i in range(4)], [x for i in range(3)])] == [0.0, 0.0, 0.0]
assert abs(('abc' in s)) == 0
assert [max((0.5 % a), (0.5 ** 0)), len(([c] * 1))] == [1.0, 1]
assert str(bool((c ** 1))) == 'True'
assert list(range(-1, 3, -1))[4:] == []
assert [0.5 for i in range(1)] == [0.5]
assert list(tuple((0 * [0.5, False, 3.25, c])))[:] == []
assert list(reversed([True, a]))[1] == True
assert [(2 or -2.0), min(3.25, True), (37 or c), (c + 1)] == [2, True, 37, 13]
assert 3 == 3
assert abs(c) == 12
assert ((c and 25), 0.5, (False if x > 1 else 3),) == (25, 0.5, False)
assert 'x'[-5:] == 'x'
assert f'{s}_q' == 'Hello_q'
assert [i * p for i, p in enumerate((False,))] == [0]
assert [0.5] == [0.5]
assert (not ((~c) ** 1)) == False
assert [True, 0.5, -2.0] == [True, 0.5, -2.0]
assert str(bool((3.25 // 4))) == 'False'
assert s[:1].upper() == 'H'
assert ((3.25 // True) % c) == 3.0
assert (30 ** 2) == 900
assert (s * 1) == 'Hello'
assert ((x > 1 ** 2) if (max(True, True) not in (5, a, 26, 3.25,)) else ('abc' == 'abc')) == True
assert True == True
assert list(range(-1, 8, 1)) == [-1, 0, 1, 2, 3, 4, 5, 6, 7]
assert [False for i in range(4)] == [False, False, False, False]
assert all([i * 3 for i in [True, -2.0] if i < -3]) == True
assert ('a_b' <= 'x') == True
assert list(zip((2, 3.25,), [3.25, a, False])) == [(2, 3.25), (3.25, 7)]
assert [min((3.25, 3.25, x,)) for i in range(4)] == [2.5, 2.5, 2.5, 2.5]
assert (~max((False if (s in 'x') else False), a)) == -8
assert list(enumerate([a])) == [(0, 7)]
assert 37 == 37
assert (('' + s) + ('x' + '')).lower() == 'hellox'
assert (c <= max(x, 0.5) == c) == False
assert list(reversed((2, 3.25, 17,))) == [17, 3.25, 2]
assert ((False and True),) == (False,)
assert list(enumerate(list(range(4, 8, 2)))) == [(0, 4), (1, 6)]
assert (not ('abc' in '')) == True
assert (1 * [i * 2 for i in [i * 1 for i in (False,) if i > 5] if i != 5]) == []
assert [i * p for i, p in enumerate(list(range(0, 10, -2)))] == []
assert list(enumerate((3.25, 20, x,))) == [(0, 3.25), (1, 20), (2, 2.5)]
assert [(max(False, c) or 1), -2.0][-1] == -2.0
assert (bool(15) or (c - c)) == True
assert (-(a ** 0)) == -1
assert ([[3.25, 3.25, a, True][2] for i in range(1)] * 3) == [7, 7, 7]
assert True == True
assert (True in [a, False, 5]) == False
assert (+(((a ** 1) - (True ^ 29)) ** 0)) == 1
assert (str(int(0.5)) * 2) == '00'
assert abs(0.5) == 0.5
assert list(enumerate((x, c, b, -2.0,))) == [(0, 2.5), (1, 12), (2, -3), (3, -2.0)]
assert list(zip([max((2, b, b, -2.0,)) for i in range(2)], list(range(-3, 7, 1)))) == [(2, -3), (2, -2)]
assert (x, x,) == (2.5, 2.5)
assert [i * p for i, p in enumerate(list(range(-1, 3, -2)))] == []
assert ((-3.25), (a and 0.5),) == (-3.25, 0.5)
assert list(reversed(list(reversed([20])))) == [20]
assert ('' + 'a_b') == 'a_b'
assert False == False
assert list(tuple((3.25,))) == [3.25]
assert max((28 and a), 24) == 24
assert int(False) == 0
assert (list((False, b,)) + list(list(reversed([-2.0, c])))) == [False, -3, 12, -2.0]
assert (('' * 0) * 1) == ''
assert list(range(3, -1, -2)) == [3, 1]
assert [(a if x > 1 else c), max([4, False, x]), (c ** 3), sum([c, b, 0.5])] == [7, 4, 1728, 9.5]
assert list(enumerate(list(range(0, 5, 2)))) == [(0, 0), (1, 2), (2, 4)]
assert (max(max(2, -2.0), (a + c)) if (not (not a < b)) else len((1 * [True, -2.0, -2.0, a]))) == 4
assert True == True
assert ('a_b' * 0) == ''
assert (38, (False / x), 2,)[-1] == 2
assert ((a, 22,)[0] // a < b) == False
assert (1 * list(tuple((3.25, x,)))) == [3.25, 2.5]
assert (c, 7, c, 0.5,) == (12, 7, 12, 0.5)
assert (max(b, 1) if ('abc' > 'x') else 32) == 32
assert ((f'{a + c}_q' + 'abc'.upper()) == f'{a < b}_q'[-2:3]) == False
assert list(zip([True, -2.0, 0, -2.0], [x, 0.5])) == [(True, 2.5), (-2.0, 0.5)]
assert str(bool((not False))) == 'True'
assert [i * p for i, p in enumerate(list(range(4, 10, 3)))] == [0, 7]
assert (-2.0 ** 2) == -4.0
assert str(bool(False)) == 'False'
assert ([37] * 1) == [37]
assert str(int(x > 1)) == '1'
assert [i * p for i, p in enumerate([x for i in range(4)])] == [0.0, 2.5, 5.0, 7.5]
assert (2 * (-2.0, x,)) == (-2.0, 2.5, -2.0, 2.5)
assert list(zip((0, True,), [4, x, 8, True])) == [(0, 4), (True, 2.5)]
assert True == True
