// The module irmeta._core: runs of files to the ranks of judged documents, those to sums over ranks; draws of tests, pairs of items, moves of tau.
//
// It keeps to CPython's stable ABI of 3.11, so that one build serves every Python, and lets go of the interpreter while
// it works. What Python gives it, it trusts.
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>
#include <stdexcept>

#include "judgments.hpp"
#include "largest.hpp"
#include "measures.hpp"
#include "moves.hpp"
#include "pairs.hpp"
#include "run.hpp"
#include "steps.hpp"

using namespace core;

namespace {

// An array that Python lends for the time of a call.
struct Lent {
  Py_buffer view{};
  ~Lent() {
    if (view.obj) PyBuffer_Release(&view);
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(view.buf);
  }
  template <class T>
  size_t count() const {
    return static_cast<size_t>(view.len) / sizeof(T);
  }
};

PyObject* refused(const char* why) {
  PyErr_SetString(PyExc_ValueError, why);
  return nullptr;
}

// Work on so many items, without the interpreter unless they are few: to let go of it and to wait for it costs as much
// as some thousand of them. False, and MemoryError, where memory does not suffice.
template <class Work>
bool apart(size_t items, Work work) {
  PyThreadState* state = items < 10000 ? nullptr : PyEval_SaveThread();
  bool enough = true;
  try {
    work();
  } catch (const std::bad_alloc&) {
    enough = false;
  } catch (const std::length_error&) {
    enough = false;
  }
  if (state) PyEval_RestoreThread(state);
  if (!enough) PyErr_NoMemory();
  return enough;
}

const char JUDGMENTS[] = "irmeta._core.judgments", RUN[] = "irmeta._core.run";

template <class T, const char* name>
T* held(PyObject* capsule) {
  return static_cast<T*>(PyCapsule_GetPointer(capsule, name));
}

void free_judgments(PyObject* capsule) { delete held<Judgments, JUDGMENTS>(capsule); }

void free_run(PyObject* capsule) {
  PyObject* judgments = static_cast<PyObject*>(PyCapsule_GetContext(capsule));
  delete held<Run, RUN>(capsule);
  Py_XDECREF(judgments);
}

// judgments(topics, ids, start, length, topic, keys): None where too many hashes collide.
PyObject* judgments(PyObject*, PyObject* args) {
  PyObject* names;
  Lent ids, start, length, topic, keys;
  if (!PyArg_ParseTuple(args, "O!y*y*y*y*y*", &PyList_Type, &names, &ids.view, &start.view, &length.view, &topic.view,
                        &keys.view)) {
    return nullptr;
  }
  const size_t rows = start.count<i64>();
  if (length.count<i64>() != rows || topic.count<i64>() != rows || keys.count<u64>() != 2) {
    return refused("arrays of other lengths");
  }
  Judgments* made = new (std::nothrow) Judgments({keys.as<u64>()[0], keys.as<u64>()[1] | 1});
  if (!made) return PyErr_NoMemory();
  PyObject* capsule = PyCapsule_New(made, JUDGMENTS, free_judgments);
  if (!capsule) {
    delete made;
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(names); ++i) {
    char* name;
    Py_ssize_t n;
    if (PyBytes_AsStringAndSize(PyList_GetItem(names, i), &name, &n) < 0) {
      Py_DECREF(capsule);
      return nullptr;
    }
    made->topic(name, static_cast<size_t>(n));
  }
  bool filled = true;
  const bool done = apart(rows, [&] {
    filled = made->fill(ids.as<char>(), start.as<i64>(), length.as<i64>(), topic.as<i64>(), rows);
  });
  if (done && filled) return capsule;
  Py_DECREF(capsule);
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// run(judgments, single, top): what `feed` and `finish` take.
PyObject* run(PyObject*, PyObject* args) {
  PyObject* capsule;
  int single;
  long long top;
  if (!PyArg_ParseTuple(args, "OpL", &capsule, &single, &top)) return nullptr;
  const Judgments* judgments = held<Judgments, JUDGMENTS>(capsule);
  if (!judgments) return nullptr;
  Run* made = nullptr;
  if (!apart(0, [&] { made = new Run(*judgments, single, top); })) return nullptr;
  PyObject* holder = PyCapsule_New(made, RUN, free_run);
  if (!holder) {
    delete made;
    return nullptr;
  }
  Py_INCREF(capsule);
  PyCapsule_SetContext(holder, capsule);
  return holder;
}

// feed(run, piece): whether the run is regular so far.
PyObject* feed(PyObject*, PyObject* args) {
  PyObject* capsule;
  Lent piece;
  if (!PyArg_ParseTuple(args, "Oy*", &capsule, &piece.view)) return nullptr;
  Run* made = held<Run, RUN>(capsule);
  if (!made || !apart(piece.count<char>(), [&] { made->feed(piece.as<char>(), piece.count<char>()); })) return nullptr;
  return PyBool_FromLong(made->regular);
}

template <class T>
PyObject* bytes(const std::vector<T>& values) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(values.data()),
                                   static_cast<Py_ssize_t>(values.size() * sizeof(T)));
}

// finish(run): None unless it is regular; else what irmeta.evaluation.grades.core.Found has.
PyObject* finish(PyObject*, PyObject* capsule) {
  Run* made = held<Run, RUN>(capsule);
  if (!made || !apart(made->pending(), [&] { made->finish(); })) return nullptr;
  if (!made->regular) Py_RETURN_NONE;
  return Py_BuildValue("(NNNNLLKNNy#NNNy#LLL)", bytes(made->topic), bytes(made->rank), bytes(made->judgment),
                       bytes(made->retrieved), static_cast<long long>(made->other_topics),
                       static_cast<long long>(made->disagreeing), static_cast<unsigned long long>(made->order),
                       PyBool_FromLong(made->ascii), PyBool_FromLong(made->more_tags), made->tag.data(),
                       static_cast<Py_ssize_t>(made->tag.size()), bytes(made->top_topic), bytes(made->top_rank),
                       bytes(made->top_end), made->top_ids.data(), static_cast<Py_ssize_t>(made->top_ids.size()),
                       static_cast<long long>(made->constant), static_cast<long long>(made->tied),
                       static_cast<long long>(made->rounded));
}

// What all sums take first: where lists begin; cell, rank and code of each document; and last: the sums, one for each
// cell, to be filled.
struct Summed {
  Lent first, cell, rank, code, sums;

  Lists lists() const {
    return {first.as<i64>(), first.count<i64>() - 1, cell.as<i32>(), rank.as<i32>(), code.as<i32>()};
  }
};

// Fill the sums by `work`, unless an array is too short.
template <class Work>
PyObject* summed(const Summed& given, Work work) {
  const size_t documents = given.cell.count<i32>();
  if (!given.first.count<i64>() || given.rank.count<i32>() != documents || given.code.count<i32>() != documents) {
    return refused("arrays of other lengths");
  }
  if (!apart(documents, [&] { work(given.lists(), given.sums.as<double>()); })) return nullptr;
  Py_RETURN_NONE;
}

// counts(first, cell, rank, code, end, relevant, sums)
PyObject* counts_of(PyObject*, PyObject* args) {
  Summed given;
  Lent end;
  int least;
  if (!PyArg_ParseTuple(args, "y*y*y*y*y*iw*", &given.first.view, &given.cell.view, &given.rank.view, &given.code.view,
                        &end.view, &least, &given.sums.view)) {
    return nullptr;
  }
  const i64 topics = static_cast<i64>(end.count<i64>());
  return summed(given,
                [&](const Lists& lists, double* sums) { counts(lists, end.as<i64>(), topics, least, sums); });
}

using Of = void (*)(const Lists&, i64, i32, double*);

// precisions, firsts(first, cell, rank, code, k, relevant, sums)
template <Of of>
PyObject* relevant(PyObject*, PyObject* args) {
  Summed given;
  long long k;
  int least;
  if (!PyArg_ParseTuple(args, "y*y*y*y*Liw*", &given.first.view, &given.cell.view, &given.rank.view, &given.code.view,
                        &k, &least, &given.sums.view)) {
    return nullptr;
  }
  return summed(given, [&](const Lists& lists, double* sums) { of(lists, k, least, sums); });
}

// gains(first, cell, rank, code, k, gain, weight, sums)
PyObject* gains_of(PyObject*, PyObject* args) {
  Summed given;
  Lent gain, weight;
  long long k;
  if (!PyArg_ParseTuple(args, "y*y*y*y*Ly*y*w*", &given.first.view, &given.cell.view, &given.rank.view,
                        &given.code.view, &k, &gain.view, &weight.view, &given.sums.view)) {
    return nullptr;
  }
  k = std::min<long long>(k, static_cast<long long>(weight.count<double>()));
  return summed(given, [&](const Lists& lists, double* sums) {
    gains(lists, k, gain.as<double>(), weight.as<double>(), sums);
  });
}

// stops(first, cell, rank, code, k, stop, sums)
PyObject* stops_of(PyObject*, PyObject* args) {
  Summed given;
  Lent stop;
  long long k;
  if (!PyArg_ParseTuple(args, "y*y*y*y*Ly*w*", &given.first.view, &given.cell.view, &given.rank.view, &given.code.view,
                        &k, &stop.view, &given.sums.view)) {
    return nullptr;
  }
  return summed(given, [&](const Lists& lists, double* sums) { stops(lists, k, stop.as<double>(), sums); });
}

// above(first, cell, rank, code, judged, relevant, most, sums)
PyObject* above_of(PyObject*, PyObject* args) {
  Summed given;
  Lent most;
  int judged, least;
  if (!PyArg_ParseTuple(args, "y*y*y*y*iiy*w*", &given.first.view, &given.cell.view, &given.rank.view,
                        &given.code.view, &judged, &least, &most.view, &given.sums.view)) {
    return nullptr;
  }
  const i64 topics = static_cast<i64>(most.count<i64>());
  return summed(given, [&](const Lists& lists, double* sums) {
    above(lists, judged, least, most.as<i64>(), topics, sums);
  });
}

// reached(drawn, rows, better, worse, unit, least, counts): drawn is (draw, row), the others are of pairs.
PyObject* reached_of(PyObject*, PyObject* args) {
  Lent drawn, better, worse, unit, least, counts;
  long long rows;
  if (!PyArg_ParseTuple(args, "y*Ly*y*y*y*w*", &drawn.view, &rows, &better.view, &worse.view, &unit.view, &least.view,
                        &counts.view)) {
    return nullptr;
  }
  const Pairs pairs{better.as<i64>(), worse.as<i64>(), unit.as<double>(), least.as<double>(), unit.count<double>()};
  if (rows < 1 || better.count<i64>() != pairs.count || worse.count<i64>() != pairs.count ||
      least.count<double>() != pairs.count || counts.count<i64>() != pairs.count) {
    return refused("arrays of other lengths");
  }
  const size_t draws = drawn.count<double>() / static_cast<size_t>(rows);
  const bool done = apart(draws * pairs.count, [&] {
    reached(drawn.as<double>(), draws, static_cast<size_t>(rows), pairs, counts.as<i64>());
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// largest(value, known, open, weights, signs, from, to, most, pairs): value and known are (system, topic), open (system,
// system), weights (draw, topic), most (draw,), pairs (draw, 2). Without value and known weights are means (draw, system).
PyObject* largest_of(PyObject*, PyObject* args) {
  Lent value, known, open, weights, most, pairs;
  long long signs, from, to;
  if (!PyArg_ParseTuple(args, "y*y*y*y*LLLw*w*", &value.view, &known.view, &open.view, &weights.view, &signs, &from,
                        &to, &most.view, &pairs.view)) {
    return nullptr;
  }
  const size_t draws = most.count<float>(), cells = value.count<float>();
  size_t count = 0;
  while (count * count < open.count<float>()) ++count;
  const size_t topics = cells && count ? cells / count : count;
  // pairs are counted by numbers of 32 bits
  if (!topics || count > 46340 || open.count<float>() != count * count || (cells && cells != count * topics) ||
      known.count<bool>() != cells || weights.count<float>() != draws * topics || pairs.count<i64>() != 2 * draws ||
      signs < 0 || static_cast<size_t>(signs) > draws || from < 0 || to < from || static_cast<size_t>(to) > count) {
    return refused("arrays of other lengths");
  }
  const Systems systems{cells ? value.as<float>() : nullptr, known.as<bool>(), open.as<float>(), count, topics};
  const Drawn drawn{weights.as<float>(), static_cast<size_t>(signs), draws};
  const bool done = apart(draws * count * count, [&] {
    largest(systems, drawn, static_cast<size_t>(from), static_cast<size_t>(to), most.as<float>(), pairs.as<i64>());
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// concordance(x, y, batch, items, counts): x is (batch, a, item), y (batch, b, item), counts (batch, a, b).
PyObject* concordance_of(PyObject*, PyObject* args) {
  Lent x, y, counts;
  long long batch, items;
  if (!PyArg_ParseTuple(args, "y*y*LLw*", &x.view, &y.view, &batch, &items, &counts.view)) return nullptr;
  if (batch < 1 || items < 1) return refused("no rankings");
  const size_t parts = static_cast<size_t>(batch), n = static_cast<size_t>(items);
  const size_t a = x.count<double>() / parts / n, b = y.count<double>() / parts / n;
  if (x.count<double>() != parts * a * n || y.count<double>() != parts * b * n ||
      counts.count<double>() != parts * a * b) {
    return refused("arrays of other lengths");
  }
  const bool done = apart(parts * (a + b) * n * n, [&] {
    for (size_t i = 0; i < parts; ++i) {
      concordance(x.as<double>() + i * a * n, a, y.as<double>() + i * b * n, b, n, counts.as<double>() + i * a * b);
    }
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// moves(here, order, there, counts, pairs, beside, after, member, metrics, system, untied, moves): a partition is first.
PyObject* moves_of(PyObject*, PyObject* args) {
  Lent here, order, there, counts, pairs, beside, after, member, moves;
  long long metrics, system;
  int untied;
  if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*LLpw*", &here.view, &order.view, &there.view, &counts.view, &pairs.view,
                        &beside.view, &after.view, &member.view, &metrics, &system, &untied, &moves.view)) {
    return nullptr;
  }
  if (metrics < 1 || system < 0) return refused("no metrics or no system");
  const size_t width = static_cast<size_t>(metrics), one = static_cast<size_t>(system);
  const size_t parts = pairs.count<double>() / width;
  if (!parts) Py_RETURN_NONE;
  const size_t items = here.count<double>() / parts / width, members = member.count<i64>() / parts;
  const size_t square = width * width, topics = moves.count<double>() / parts / square;
  if (one >= items || order.count<i64>() != here.count<double>() || there.count<double>() != here.count<double>() ||
      counts.count<double>() != parts * square || beside.count<double>() != pairs.count<double>() ||
      after.count<double>() != parts * members * width || moves.count<double>() != parts * topics * square) {
    return refused("arrays of other lengths");
  }
  const bool done = apart(moves.count<double>(), [&] {
    Moves add(width, items, untied);
    for (size_t i = 0; i < parts; ++i) {
      const size_t at = i * width * items;
      const Partition part{here.as<double>() + at,           order.as<i64>() + at,
                           there.as<double>() + at,          counts.as<double>() + i * square,
                           pairs.as<double>() + i * width,   beside.as<double>() + i * width};
      add.add(part, one, after.as<double>() + i * members * width, member.as<i64>() + i * members, members,
              moves.as<double>() + i * topics * square);
    }
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef METHODS[] = {{"judgments", judgments, METH_VARARGS, ""},
                         {"run", run, METH_VARARGS, ""},
                         {"feed", feed, METH_VARARGS, ""},
                         {"finish", finish, METH_O, ""},
                         {"counts", counts_of, METH_VARARGS, ""},
                         {"precisions", relevant<precisions>, METH_VARARGS, ""},
                         {"firsts", relevant<firsts>, METH_VARARGS, ""},
                         {"gains", gains_of, METH_VARARGS, ""},
                         {"stops", stops_of, METH_VARARGS, ""},
                         {"above", above_of, METH_VARARGS, ""},
                         {"reached", reached_of, METH_VARARGS, ""},
                         {"largest", largest_of, METH_VARARGS, ""},
                         {"concordance", concordance_of, METH_VARARGS, ""},
                         {"moves", moves_of, METH_VARARGS, ""},
                         {nullptr, nullptr, 0, nullptr}};

PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_core", "", 0, METHODS, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__core() { return PyModuleDef_Init(&MODULE); }
