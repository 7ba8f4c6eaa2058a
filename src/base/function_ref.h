// A reference to a function that is called at once. Unlike std::function it owns nothing, and so needs no
// memory. What it refers to must outlive it.
#pragma once

#include <type_traits>
#include <utility>

namespace concilio {

template <typename Signature>
class FunctionRef;

template <typename Return, typename... Args>
class FunctionRef<Return(Args...)> {
 public:
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the line above keeps copies out
      FunctionRef(F&& function)
      : context_(const_cast<void*>(static_cast<const void*>(&function))),
        call_([](void* context, Args... args) -> Return {
          return (*static_cast<std::remove_reference_t<F>*>(context))(std::forward<Args>(args)...);
        }) {}
  Return operator()(Args... args) const { return call_(context_, std::forward<Args>(args)...); }

 private:
  void* context_;
  Return (*call_)(void*, Args...);
};

}  // namespace concilio
