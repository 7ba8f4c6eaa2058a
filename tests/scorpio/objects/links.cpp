#include "objects.h"

using objects::context;
using objects::Session;

namespace {

bool has(Session& session, const char* dataset) {
  return scorpio_dataset_exists(dataset, session.file(), session.group()) == 1;
}

int64_t open_group(Session& session, const char* name) {
  const int64_t id = scorpio_create_dataset_group(name, session.file(), session.group());
  EXPECT(id != FAILURE);
  return id;
}

}  // namespace

SITUATION(Groups, NamesAreRelativeToTheOneOpen) {
  Session session("groups.h5");
  EXPECT(session.shown().groupid == -1);
  const int64_t a = open_group(session, "/time/a");
  EXPECT((session.shown().groupid >= 0) == (session.group()->localrank == 0));
  if (session.group()->localrank == 0) EXPECT(session.shown().groupid == a && H5Iget_type(a) == H5I_GROUP);
  session.write("rho", {4});
  session.write("/absolute", {4});
  const int64_t b = open_group(session, "b");
  EXPECT(a != b);
  session.write("rho", {4});
  WELL(scorpio_close_dataset_group(b, session.file(), session.group()));
  session.write("u", {4});
  WELL(scorpio_close_dataset_group(a, session.file(), session.group()));
  EXPECT(session.shown().groupid == -1);
  session.write("top", {4});
  EXPECT(has(session, "/time/a/rho") && has(session, "/time/a/b/rho") && has(session, "/time/a/u"));
  EXPECT(has(session, "/absolute") && has(session, "/top") && !has(session, "/rho"));
}

SITUATION(Groups, OpenedAgainAndClosedInAnyOrder) {
  Session session("groups_again.h5");
  const int64_t a = open_group(session, "/a");
  const int64_t b = open_group(session, "/b");
  const int64_t again = open_group(session, "/a");
  WELL(scorpio_close_dataset_group(a, session.file(), session.group()));
  session.write("in_a", {2});
  WELL(scorpio_close_dataset_group(again, session.file(), session.group()));
  session.write("in_b", {2});
  WELL(scorpio_close_dataset_group(b, session.file(), session.group()));
  EXPECT(has(session, "/a/in_a") && has(session, "/b/in_b"));
  FAILS(scorpio_close_dataset_group(b, session.file(), session.group()), "no id of a group");
  FAILS(scorpio_close_dataset_group(12345678, session.file(), session.group()), "no id of a group");
  session.again(SCORPIO_FILE_READONLY);
  WELL(scorpio_close_dataset_group(open_group(session, "a"), session.file(), session.group()));
  FAILS(scorpio_create_dataset_group("c", session.file(), session.group()), "read only");
}

// Fortran programs keep them so.
SITUATION(Groups, IdsKeptInIntegers) {
  Session session("groups_integers.h5");
  const int a = static_cast<int>(open_group(session, "/a"));
  const int b = static_cast<int>(open_group(session, "/b"));
  EXPECT(a > 0 && b > 0 && a != b);
  session.write("/data", {2});
  WELL(scorpio_create_link("/data", a, "link", session.file(), session.group()));
  EXPECT(has(session, "/a/link"));
  WELL(scorpio_close_dataset_group(a, session.file(), session.group()));
  session.write("in_b", {2});
  EXPECT(has(session, "/b/in_b"));
  WELL(scorpio_close_dataset_group(b, session.file(), session.group()));
}

SITUATION(Groups, WhatFails) {
  Session session("group_failures.h5");
  session.write("data", {4});
  FAILS(scorpio_create_dataset_group("/data", session.file(), session.group()), "/data is a dataset");
  FAILS(scorpio_create_dataset_group("/data/below", session.file(), session.group()), "/data is a dataset");
  FAILS(scorpio_create_dataset_group(nullptr, session.file(), session.group()), "no name");
  FAILS(scorpio_create_dataset_group("", session.file(), session.group()), "no name");
  EXPECT(session.shown().groupid == -1);
  const int64_t a = open_group(session, "a");
  const iogroup_t& group = *session.group();
  if (group.numIOgroups > 1 && group.localrank == 0) {
    const bool last = group.iogroupRank == group.numIOgroups - 1;
    FAILS(scorpio_close_dataset_group(last ? 4711 : a, session.file(), session.group()), "");
    FAILS(scorpio_create_dataset_group(last ? "x" : "y", session.file(), session.group()), "differ");
    FAILS(scorpio_create_link("data", last ? a : 0, "l", session.file(), session.group()), "differ");
  }
  EXPECT(!has(session, "/a/l"));
  // If a rank that is not a root passes other arguments than its root, only that rank is told of it, once the
  // root continues.
  if (group.localrank != 0) {
    FAILS(scorpio_create_dataset_group("x", session.file(), session.group()), "differ");
    FAILS(scorpio_create_link("data", 0, "l", session.file(), session.group()), "differ");
  } else {
    WELL(scorpio_create_link("data", 0, "of roots", session.file(), session.group()));
  }
  EXPECT(!has(session, "/a/x"));
  WELL(scorpio_close_dataset_group(a, session.file(), session.group()));
}

SITUATION(Links, ToWhatIsThereOrNot) {
  Session session("links.h5");
  session.write("/here/data", {4});
  const int64_t there = open_group(session, "/there");
  WELL(scorpio_create_link("/here/data", there, "absolute", session.file(), session.group()));
  WELL(scorpio_create_link("absolute", there, "relative", session.file(), session.group()));
  WELL(scorpio_create_link("/here", -1, "up", session.file(), session.group()));
  WELL(scorpio_create_link("/here/data", 0, "new/groups/link", session.file(), session.group()));
  WELL(scorpio_create_link("/nowhere", 0, "dangling", session.file(), session.group()));
  EXPECT(has(session, "/there/absolute") && has(session, "/there/relative") && has(session, "/up/data"));
  EXPECT(has(session, "/new/groups/link") && !has(session, "/dangling"));
  FAILS(scorpio_create_link("/here/data", there, "absolute", session.file(), session.group()),
        "/there/absolute is there");
  FAILS(scorpio_create_link("/here", 0, "dangling", session.file(), session.group()), "/dangling is there");
  FAILS(scorpio_create_link("/here", 0, "here/data/x", session.file(), session.group()), "is a dataset");
  FAILS(scorpio_create_link("/here", 424242, "x", session.file(), session.group()), "no id of a group");
  FAILS(scorpio_create_link(nullptr, 0, "x", session.file(), session.group()), "no name");
  FAILS(scorpio_create_link("/here", 0, nullptr, session.file(), session.group()), "no name");
  WELL(scorpio_close_dataset_group(there, session.file(), session.group()));
  session.again(SCORPIO_FILE_READONLY);
  FAILS(scorpio_create_link("/here", 0, "x", session.file(), session.group()), "read only");
}
