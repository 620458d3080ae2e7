! The Fortran module from outside: every kind of variable, constraints, outcomes, errors.
module rings
  use, intrinsic :: iso_c_binding
  implicit none

contains

  function ring(x) result(slack)
    real(c_double), intent(in) :: x(:)
    real(c_double) :: slack
    slack = 0.05d0 - abs(hypot(x(1), x(2)) - 0.7d0)
  end function

end module

program fortran_module
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  use gannet
  use rings
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 16
  type(gannet_optimizer) :: opt, other
  integer(c_int64_t) :: id(n), who, pending, done, kept, cannot_run, failed
  real(c_double) :: x(5, n), f(n), c(2, n), best(5), value, deviation
  integer(c_int) :: outcome(n)
  logical :: feasible
  integer(c_int64_t), allocatable :: waiting(:)
  real(c_double), allocatable :: at(:, :)
  real(c_double) :: mean(3, 2), sd(3, 2), likely(2, 2), whole(2), works(2)
  integer :: ierr, i, pages

  call gannet_begin(opt, seed=3, goal=int(gannet_maximize), noise=0d0)
  call gannet_real(opt, "x", 0d0, 1d0)
  call gannet_real(opt, "rate", 1d-6, 1d-2, log_scale=.true.)
  call gannet_integer(opt, "fins", 1, 8)
  call gannet_boolean(opt, "vent")
  call gannet_categorical(opt, "solver", [character(len=5) :: "cg", "gmres", "lu"])
  call gannet_constraint(opt, "stress", upper=110d0)
  call gannet_constraint(opt, "mass", lower=1d0, upper=3d0)
  call gannet_set(opt, "method", "sobol")
  call gannet_ask(opt, id, x)
  call require(all(id == [(int(i, c_int64_t), i=0, n - 1)]), "ids")
  call require(all(x(1, :) >= 0 .and. x(1, :) <= 1), "x in its range")
  call require(all(x(2, :) >= 1d-6 .and. x(2, :) <= 1d-2), "rate in its range")
  call require(count(x(2, :) < 1d-4) == n/2, "rate on its scale")
  call require(all(x(3, :) == nint(x(3, :))), "whole fins")
  call require(maxval(x(5, :)) == 2 .and. minval(x(5, :)) == 0, "three solvers")
  f = [(real(i, c_double), i=1, n)]
  c(1, :) = 100
  c(2, :) = 2
  c(1, n) = 111 ! the largest objective is not feasible
  outcome = gannet_done
  outcome(n - 1) = gannet_cannot_run
  outcome(n - 2) = gannet_failed
  call gannet_tell(opt, id, f, ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "2 constraints") > 0, "no constraints")
  call gannet_tell(opt, id, f, c, outcome, ierr=ierr, quantities=[gannet_quantity(99_c_int64_t, "cells", 1d0)])
  call require(ierr /= 0 .and. index(gannet_message(), "that of no point that is told") > 0, "a quantity of nowhere")
  call gannet_tell(opt, id, f, c, outcome, quantities=[gannet_quantity(id(2), "cells", 12d0), &
    gannet_quantity(id(1), "mass", 2d0, 0.25d0), gannet_quantity(id(2), "objective", 2d0, 0d0, [1d0, 2d0, 3d0, 0d0, 0d0])])
  call gannet_get_quantity(opt, id(2), "cells", value)
  call require(value == 12, "the cells")
  call gannet_get_quantity(opt, id(1), "mass", value, deviation)
  call require(value == 2 .and. deviation == 0.25d0, "the mass")
  call gannet_get_quantity(opt, id(1), "cells", value)
  call require(value /= value, "no cells")
  call gannet_best(opt, best, value, feasible, who)
  call require(feasible .and. value == n - 3 .and. who == n - 4, "the best feasible one")
  call require(all(best == x(:, n - 3)), "its point")
  call gannet_count(opt, pending, done, kept, cannot_run, failed)
  call require(pending == 0 .and. done == n - 2 .and. kept == n - 3 .and. cannot_run == 1 .and. failed == 1, "counts")

  call gannet_predict(opt, x(:, 1:2), mean, sd, likely, whole, works)
  call require(all(abs(mean(1, :) - f(1:2)) < 0.1) .and. all(abs(mean(2, :) - 100) < 0.1), "results that are known")
  call require(all(sd >= 0) .and. all(sd(1, :) < 0.1) .and. all(likely > 0.9), "and are certain")
  call require(all(works > 0.5 .and. works <= 1) .and. all(abs(whole - works*product(likely, 1)) < 1d-12), "of use")
  call gannet_predict(opt, x(1:4, 1:2), mean, ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "x(variables, points) has the shape 4, 2") == 1, "four variables")
  call gannet_predict(opt, x(:, 1:2), mean(:, 1:1), ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "mean(objectives + constraints, points) has") == 1, "no room for means")
  call gannet_predict(opt, 2 + x(:, 1:2), mean, ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "variable x: ") > 0, "outside")

  call gannet_tell(opt, id(1:1), f(1:1), c(:, 1:1), ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "already has the result") > 0, "told twice")
  call gannet_ask(opt, id, x(1:2, :), ierr=ierr)
  call require(ierr /= 0 .and. gannet_message() == "x(variables, points) has the shape 2, 16, expected 5, 16", &
               "rows are missing")
  call gannet_tell(opt, id, f(1:2), c, ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "objective(points) has the shape 2, ex") == 1, "few values")
  call gannet_tell(opt, id, f, c(1:1, :), ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "constraints(constraints, points) has") == 1, "one constraint")
  call gannet_tell(opt, id, f, c, outcome(2:), ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "outcome(points) has") == 1, "few outcomes")
  call gannet_recommend(opt, best(1:4), value, ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "x(variables) has") == 1, "no room for a point")
  call gannet_tell(opt, id(1:1), f(1:1), c(:, 1:1), ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "evaluation -1 was never asked for") > 0, "the library again")
  call gannet_real(opt, "late", 0d0, 1d0)
  call gannet_categorical(opt, "late", ["a", "b"])
  call gannet_set(opt, "initial", "9")
  call gannet_ask(opt, id, x, ierr=ierr)
  call require(ierr == 4 .and. index(gannet_message(), "are added before the first gannet_ask") > 0, "a late variable")
  call gannet_ask(opt, id, x)
  call gannet_end(opt)
  call gannet_ask(opt, id, x, ierr=ierr)
  call require(ierr == 4 .and. index(gannet_message(), "gannet_end was since") > 0, "asked after the end")
  call gannet_end(opt)

  call gannet_tell(other, id, f, ierr=ierr)
  call require(ierr == 4 .and. index(gannet_message(), "gannet_begin was not called") > 0, "told before the beginning")
  call gannet_recommend(other, best, value, ierr=ierr)
  call require(ierr == 4 .and. index(gannet_message(), "gannet_begin was not called") > 0, "nothing to recommend")
  call gannet_variable_constraint(opt, "after the end", ring)
  call gannet_when(opt, "x > 1")
  call gannet_ask(opt, id, x, ierr=ierr)
  call require(ierr == 4 .and. index(gannet_message(), "gannet_end was since") > 0, "added after the end")
  call gannet_get_quantity(opt, 0_c_int64_t, "objective", value, ierr=ierr)
  call require(ierr == 4 .and. index(gannet_message(), "or gannet_end was called since") > 0, "a quantity after the end")
  call gannet_constraint(other, "g", upper=1d0)
  call gannet_begin(other, seed=-1, ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "seed") > 0, "a negative seed")
  call gannet_begin(other, seed=1)
  call gannet_real(other, "x", 1d0, 0d0)
  call gannet_ask(other, id(1:1), x(1:1, 1:1), ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "x") > 0, "an empty box")
  call gannet_end(other)

  call begin_saved(opt, 5)
  call gannet_ask(opt, id, x(1:1, :))
  call gannet_tell(opt, id(2:), x(1, 2:)**2)
  call gannet_save(opt, "saved.h5")
  call begin_saved(other, 5)
  call gannet_load(other, "saved.h5")
  call gannet_pending(other, waiting, at)
  call require(size(waiting) == 1 .and. waiting(1) == 0 .and. at(1, 1) == x(1, 1), "what is waited for")
  call gannet_ask(opt, id(1:3), x(1:1, 1:3))
  call gannet_ask(other, id(4:6), x(1:1, 4:6))
  call require(all(id(1:3) == id(4:6)) .and. all(x(1, 1:3) == x(1, 4:6)), "the same points after loading")
  call begin_saved(other, 6)
  call gannet_load(other, "saved.h5", ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "with seed 5, expected 6") > 0, "another seed")
  call gannet_save(opt, "no/such/folder.h5", ierr=ierr)
  call require(ierr /= 0, "no folder")
  call gannet_end(opt)
  call gannet_end(other)

  call gannet_begin(other, seed=1)
  call gannet_real(other, "a", 0d0, 1d0)
  call gannet_real(other, "b", 0d0, 1d0)
  call gannet_variable_constraint(other, "a + b = 1")
  call gannet_variable_constraint(other, "a < b")
  call gannet_ask(other, id(1:8), x(1:2, 1:8))
  call require(all(abs(x(1, 1:8) + x(2, 1:8) - 1) < 1d-15) .and. all(x(1, 1:8) < x(2, 1:8)), "variable constraints")
  call gannet_begin(other, seed=1)
  call gannet_real(other, "a", 0d0, 1d0)
  call gannet_variable_constraint(other, "a > 2")
  call gannet_ask(other, id(1:1), x(1:1, 1:1), ierr=ierr)
  call require(ierr /= 0 .and. index(gannet_message(), "no point inside the bounds") > 0, "no allowed point")
  call gannet_end(other)

  call correct_results()
  call start_designs()
  call tell_related()
  call keep_functions()
  call begin_large(other)
  call fail_and_begin(other, 5)
  pages = resident()
  call fail_and_begin(other, 100)
  call require(resident() - pages < 1000, "what failed or was begun anew is freed")
  call gannet_end(other)
  call keep_to_values()
  call ask_conditional()
  call find_front()
  call tell_related_objectives()

contains

  ! Steps, listed values, and variables that are not searched.
  subroutine keep_to_values()
    type(gannet_optimizer) :: opt
    integer(c_int64_t) :: id(16)
    real(c_double) :: x(9, 16)
    integer :: k
    call gannet_begin(opt, seed=1, noise=0d0)
    call gannet_set(opt, "method", "sobol")
    call gannet_real(opt, "span", 0.1d0, 1.25d0, step=0.1d0)
    call gannet_integer(opt, "n", 5, 50, step=5)
    call gannet_ordinal(opt, "cells", [16d0, 32d0, 64d0], log_scale=.true.)
    call gannet_ordinal(opt, "mesh", [character(len=6) :: "coarse", "fine"])
    call gannet_fixed(opt, "rho", 1.25d0)
    call gannet_fixed(opt, "word", "w")
    call gannet_fixed(opt, "m", 7)
    call gannet_fixed(opt, "wet", .true.)
    call gannet_derived(opt, "area", "span*n + (mesh == 'fine')")
    call gannet_ask(opt, id, x)
    do k = 1, size(id)
      call require(x(1, k) == nint(10*x(1, k))/10d0 .and. x(1, k) <= 1.2d0, "span in steps")
      call require(x(2, k) == 5*nint(x(2, k)/5), "n in steps")
      call require(any(x(3, k) == [16d0, 32d0, 64d0]) .and. any(x(4, k) == [0d0, 1d0]), "listed values")
      call require(all(x(5:8, k) == [1.25d0, 0d0, 7d0, 1d0]), "fixed values")
      call require(x(9, k) == x(1, k)*x(2, k) + x(4, k), "a derived value")
    end do
    call gannet_end(opt)
  end subroutine

  subroutine keep_functions()
    type(gannet_optimizer) :: opt
    integer(c_int64_t) :: id(12)
    real(c_double) :: x(2, 12)
    integer :: ierr
    call gannet_begin(opt, seed=1, noise=0d0)
    call gannet_real(opt, "a", 0d0, 1d0)
    call gannet_real(opt, "b", 0d0, 1d0)
    call gannet_variable_constraint(opt, "a < b")
    call gannet_variable_constraint(opt, "ring", ring)
    call gannet_ask(opt, id, x)
    call require(all(x(1, :) < x(2, :)), "a text beside a function")
    call require(all(abs(hypot(x(1, :), x(2, :)) - 0.7d0) <= 0.05d0), "points in the ring")
    call gannet_tell_point(opt, [0.1d0, 0.2d0], 1d0, ierr=ierr)
    call require(ierr == 0, "results of points outside may be told")
    call gannet_agree(opt, ierr, "unused")
    call require(ierr == 0, "nothing has failed")
    ierr = 5
    call gannet_agree(opt, ierr, "no table of gaps")
    call require(ierr == 5 .and. index(gannet_message(), "no table of gaps") > 0, "a failure that ranks agree on")
    call gannet_end(opt)
    call gannet_begin(opt, seed=1, noise=0d0)
    call gannet_real(opt, "a", 0d0, 0.1d0)
    call gannet_real(opt, "b", 0d0, 0.1d0)
    call gannet_variable_constraint(opt, "ring", ring)
    call gannet_ask(opt, id, x, ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "'ring': its slack is -") > 0, "no point in the ring")
    call gannet_end(opt)
  end subroutine

  ! Results of a related problem, with the constraint and without.
  subroutine tell_related()
    type(gannet_optimizer) :: opt
    real(c_double) :: x(1, 20), limit(1, 20), with(1, 1), without(1, 1)
    integer(c_int64_t) :: id(1)
    integer :: i, ierr, t
    logical :: is_told
    do i = 1, 20
      x(1, i) = (i - 0.5d0) / 20
      limit(1, i) = 5 * sin(9 * x(1, i)) + 2
    end do
    limit(1, 3) = ieee_value(0d0, ieee_quiet_nan)
    do t = 1, 2
      is_told = t == 1
      call gannet_begin(opt, seed=1, noise=0d0)
      call gannet_real(opt, "x", 0d0, 1d0)
      call gannet_constraint(opt, "g", upper=0.5d0)
      call gannet_set(opt, "method", "gp-ei")
      call gannet_set(opt, "initial", "4")
      if (is_told) call gannet_tell_related(opt, x, cos(70 * x(1, :)), constraints=limit)
      call gannet_tell_related(opt, x, cos(70 * x(1, :)), ierr, limit(:, 1:5))
      call require(ierr /= 0 .and. index(gannet_message(), "constraints(constraints, points) has the shape") > 0, &
                   "constraints of some points")
      do i = 1, 6
        call gannet_ask(opt, id, without)
        call gannet_tell(opt, id, -sin(9 * without(1, :)), sin(9 * without))
      end do
      call gannet_ask(opt, id, without)
      if (is_told) with = without
      call gannet_end(opt)
    end do
    call require(with(1, 1) /= without(1, 1), "related constraints move the proposals")
  end subroutine

  ! Results of a related problem with two objectives, of which the second is not always known.
  subroutine tell_related_objectives()
    type(gannet_optimizer) :: opt
    real(c_double) :: x(1, 20), goals(2, 20), told(2, 1), at(1, 1), with(1, 1)
    integer(c_int64_t) :: id(1)
    integer :: i, ierr, t
    do i = 1, 20
      x(1, i) = (i - 0.5d0) / 20
      goals(:, i) = 5 * pair(x(1, i)) + 2
    end do
    goals(2, 3) = ieee_value(0d0, ieee_quiet_nan)
    do t = 1, 2
      call gannet_begin(opt, seed=1)
      call gannet_real(opt, "x", 0d0, 1d0)
      call gannet_objective(opt, "drag", noise=0d0)
      call gannet_objective(opt, "mass", noise=0d0)
      call gannet_set(opt, "initial", "4")
      call gannet_tell_related(opt, x, goals(1, :), ierr)
      call require(ierr /= 0 .and. index(gannet_message(), "there are 2 objectives") > 0, "one related objective of two")
      call gannet_tell_related(opt, x, goals(:1, :), ierr)
      call require(ierr /= 0 .and. gannet_message() == "objectives(objectives, points) has the shape 1, 20, expected 2, 20", &
                   "a row of related objectives is missing")
      if (t == 1) call gannet_tell_related(opt, x, goals)
      do i = 1, 6
        call gannet_ask(opt, id, at)
        told(:, 1) = pair(at(1, 1))
        call gannet_tell(opt, id, told)
      end do
      call gannet_ask(opt, id, at)
      if (t == 1) with = at
      call gannet_end(opt)
    end do
    call require(with(1, 1) /= at(1, 1), "related objectives move the proposals")
  end subroutine

  pure function pair(x) result(values)
    real(c_double), intent(in) :: x
    real(c_double) :: values(2)
    values = [sin(9 * x), cos(7 * x)]
  end function

  ! Results of points of the program's own, discarded and corrected.
  subroutine correct_results()
    type(gannet_optimizer) :: opt
    integer(c_int64_t) :: id, who, first(1)
    real(c_double) :: best(1), value, x(1, 1)
    logical :: feasible
    integer :: ierr
    call gannet_begin(opt, seed=1, noise=0d0)
    call gannet_real(opt, "x", 0d0, 1d0)
    call gannet_constraint(opt, "g", upper=1d0)
    call gannet_set(opt, "method", "sobol")
    call gannet_tell_point(opt, [0.25d0], 3d0, ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "1 constraints") > 0, "a point without its constraint")
    call gannet_tell_point(opt, [0.25d0, 1d0], 3d0, [0d0], ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "x(variables) has the shape 2") > 0, "two variables")
    call gannet_tell_point(opt, [0.25d0], 3d0, [0d0, 1d0], ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "constraints(constraints) has the shape 2") > 0, "two constraints")
    call gannet_tell_point(opt, [2d9], 3d0, [0d0], ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "variable x: ") > 0, "a point in another unit")
    call gannet_tell_point(opt, [0.25d0], 3d0, [0d0], id=id, quantities=[gannet_quantity(0_c_int64_t, "cells", 12d0)])
    call require(id == 0, "the first evaluation")
    call gannet_get_quantity(opt, id, "cells", value)
    call require(value == 12, "cells of a point of its own")
    call gannet_tell_point(opt, [0.5d0], -100d0, [0d0], id=id)
    call gannet_ask(opt, first, x)
    call require(id == 1 .and. first(1) == 2, "ids of both kinds")
    call gannet_tell(opt, first, [5d0], reshape([0d0], [1, 1]))
    call gannet_correct(opt, 0_c_int64_t, 2d0, [0.5d0])
    call gannet_discard(opt, id)
    call gannet_best(opt, best, value, feasible, who)
    call require(value == 2 .and. who == 0 .and. feasible .and. best(1) == 0.25d0, "the corrected value is the best")
    call gannet_correct(opt, 0_c_int64_t, 2d0, [1.5d0])
    call gannet_best(opt, best, value, feasible, who)
    call require(value == 5 .and. who == 2, "after a correction another one is the best")
    call gannet_tell_point(opt, [2d0], -1000d0, [0d0], id=id) ! outside the bounds
    call gannet_best(opt, best, value, feasible, who)
    call require(id == 3 .and. who == 2, "a point outside is never the best")
    call gannet_discard(opt, 1_c_int64_t, ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "evaluation 1 was discarded") > 0, "discarded twice")
    call gannet_correct(opt, 9_c_int64_t, 2d0, [1.5d0], ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "9 was never asked") > 0, "what is not there is corrected")
    call gannet_end(opt)
  end subroutine

  ! Designs of the program's own come first, and are filled in.
  subroutine start_designs()
    type(gannet_optimizer) :: opt
    real(c_double) :: x(2, 2), open
    integer(c_int64_t) :: id(2)
    integer :: ierr
    open = ieee_value(open, ieee_quiet_nan)
    call gannet_begin(opt, seed=1, noise=0d0)
    call gannet_real(opt, "x", 0d0, 1d0)
    call gannet_real(opt, "y", 0d0, 1d0)
    call gannet_variable_constraint(opt, "x + y <= 1")
    call gannet_set(opt, "method", "sobol")
    x = reshape([0.25d0, 0.5d0, 0.875d0, open], [2, 2])
    call gannet_start(opt, x(:, 1:1), id, ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "x(variables, designs) has the shape 2, 1") == 1, "one design")
    x(:, 1) = x(:, 1) + 0.75d0
    call gannet_start(opt, x, id, ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "design 1 of 2: variable y: 1.25 is outside [0, 1]") > 0, "outside")
    x(:, 1) = x(:, 1) - 0.75d0
    call gannet_start(opt, x, id)
    call require(all(id == [0, 1]) .and. all(x(:, 1) == [0.25d0, 0.5d0]), "a whole design")
    call require(x(1, 2) == 0.875d0 .and. x(2, 2) >= 0 .and. x(2, 2) <= 0.125d0, "a partial design")
    call gannet_ask(opt, id, x)
    call require(all(id == [2, 3]), "what comes next")
    call gannet_end(opt)
  end subroutine

  ! Variables that have a meaning only where a condition is true.
  subroutine ask_conditional()
    type(gannet_optimizer) :: opt
    integer(c_int64_t) :: id(12)
    real(c_double) :: x(3, 12)
    logical :: active(3)
    integer :: k, ierr
    call gannet_begin(opt, seed=1, noise=0d0)
    call gannet_set(opt, "method", "sobol")
    call gannet_when(opt, "n > 1")
    call require(index(gannet_message(), "behind the variable that the condition is of") > 0, "a condition of nothing")
    call gannet_categorical(opt, "solver", [character(len=5) :: "cg", "gmres"])
    call gannet_integer(opt, "restart", 5, 200)
    call gannet_when(opt, "solver == 'gmres'")
    call gannet_boolean(opt, "fast")
    call gannet_when(opt, "restart > 50")
    call gannet_ask(opt, id, x, ierr=ierr)
    call require(ierr == 4 .and. index(gannet_message(), "behind the variable") > 0, "the next call tells it")
    call gannet_ask(opt, id, x)
    do k = 1, size(id)
      call gannet_get_active(opt, x(:, k), active)
      call require(active(1) .and. (active(2) .eqv. x(1, k) == 1d0), "where restart is active")
      call require(active(3) .eqv. (active(2) .and. x(2, k) > 50), "where fast is active")
      call require(active(2) .or. x(2, k) == 103d0, "where restart rests")
    end do
    call gannet_end(opt)
    call gannet_get_active(opt, x(:, 1), active, ierr=ierr)
    call require(ierr /= 0, "an optimiser that has ended")
  end subroutine

  ! Several objectives, told as arrays, and their front.
  subroutine find_front()
    type(gannet_optimizer) :: opt
    integer(c_int64_t) :: id(5), own, who
    integer(c_int64_t), allocatable :: front(:)
    real(c_double), allocatable :: at(:, :), y(:, :)
    real(c_double) :: x(2, 5), told(2, 5), stress(1, 5), best(2), value, volume, reference(2), mean(3, 1), kept(1, 1)
    logical :: feasible
    integer :: ierr
    call gannet_begin(opt, seed=1)
    call gannet_real(opt, "x", 0d0, 1d0)
    call gannet_real(opt, "y", 0d0, 1d0)
    call gannet_constraint(opt, "stress", upper=10d0)
    call gannet_objective(opt, "drag", threshold=5d0, noise=0d0, transform="log", penalties=.false.)
    call gannet_objective(opt, "range", maximize=.true., threshold=1d0)
    call gannet_set(opt, "method", "sobol")
    call gannet_ask(opt, id, x)
    call gannet_front(opt, front, at, y, volume, reference)
    call require(size(front) == 0 .and. volume == 0 .and. all(reference == [5d0, 1d0]), "no front yet")
    told = reshape([3d0, 3d0, 2d0, 4d0, 1d0, 2d0, 4d0, 6d0, 0d0, 9d0], [2, 5])
    stress = reshape([1d0, 2d0, 3d0, 4d0, 11d0], [1, 5]) ! the last one is not feasible
    call gannet_tell(opt, id, told(1, :), stress, ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "there are 2 objectives") > 0, "one objective of two")
    call gannet_tell(opt, id, told(:1, :), stress, ierr=ierr)
    call require(ierr /= 0 .and. gannet_message() == "objectives(objectives, points) has the shape 1, 5, expected 2, 5", &
                 "a row is missing")
    call gannet_tell(opt, id, told, stress)
    call gannet_front(opt, front, at, y, volume, reference)
    call require(all(front == id(2:4)) .and. all(at == x(:, 2:4)) .and. all(y == told(:, 2:4)), "the front")
    call require(abs(volume - 12) < 1d-12, "its hypervolume")
    call gannet_best(opt, best, value, feasible, who)
    call require(who == id(3) .and. value == 1 .and. feasible, "the best by the first one")
    call gannet_get_quantity(opt, id(4), "range", value)
    call require(value == 6, "an objective by its name")
    call gannet_tell_point(opt, [0.5d0, 0.5d0], [0.5d0, 9d0], [0d0], id=own)
    call gannet_front(opt, front, at, y)
    call require(size(front) == 1 .and. front(1) == own .and. all(y(:, 1) == [0.5d0, 9d0]), "a point of its own")
    call gannet_correct(opt, own, [6d0], [0d0], ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "objectives(objectives) has the shape 1, exp") == 1, "one of two")
    call gannet_correct(opt, own, [4.5d0, 1d0], [0d0])
    call gannet_front(opt, front, at, y)
    call require(size(front) == 3, "the front after a correction")
    call gannet_front(opt, front, at, y, reference=reference(:1), ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "reference(objectives) has the shape 1") == 1, "a short reference")
    call gannet_predict(opt, x(:, 1:1), mean, kept=kept)
    call require(all(mean == mean) .and. kept(1, 1) > 0.5, "both objectives and the constraint")
    call gannet_end(opt)
    call gannet_begin(opt, seed=1)
    call gannet_real(opt, "x", 0d0, 1d0)
    call gannet_objective(opt, "drag")
    call gannet_ask(opt, id(:1), x(:1, :1), ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "n_objectives = 1") > 0, "one of several")
    call gannet_end(opt)
    call gannet_begin(opt, seed=1)
    call gannet_real(opt, "x", 0d0, 1d0)
    call gannet_objective(opt, "drag", transform="ln")
    call gannet_objective(opt, "range", maximize=.true.)
    call gannet_ask(opt, id(:1), x(:1, :1), ierr=ierr)
    call require(ierr /= 0 .and. index(gannet_message(), "objective drag: transform = -1") > 0, "no transform")
    call gannet_end(opt)
  end subroutine

  subroutine begin_saved(opt, seed)
    type(gannet_optimizer), intent(inout) :: opt
    integer, intent(in) :: seed
    call gannet_begin(opt, seed=seed, noise=0d0)
    call gannet_real(opt, "x", -1d0, 1d0)
    call gannet_set(opt, "method", "gp-ei")
  end subroutine

  ! Thirty kilobytes of names.
  subroutine begin_large(opt)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=100) :: names(300)
    integer :: i
    do i = 1, size(names)
      write (names(i), "(a, i0)") repeat("n", 90), i
    end do
    call gannet_begin(opt, seed=1)
    call gannet_categorical(opt, "name", names)
  end subroutine

  ! Each round one optimiser that cannot be made, and one that is not ended.
  subroutine fail_and_begin(opt, rounds)
    type(gannet_optimizer), intent(inout) :: opt
    integer, intent(in) :: rounds
    integer(c_int64_t) :: id(1)
    real(c_double) :: x(1, 1)
    integer :: i, ierr
    do i = 1, rounds
      call gannet_set(opt, "method", "none-such")
      call gannet_ask(opt, id, x, ierr=ierr)
      call require(ierr /= 0, "an unknown method")
      call gannet_ask(opt, id, x, ierr=ierr)
      call require(ierr /= 0, "an unknown method again")
      call begin_large(opt)
      call gannet_set(opt, "method", "sobol")
      call gannet_ask(opt, id, x)
      call begin_large(opt)
    end do
  end subroutine

  ! Pages of memory that this process has.
  integer function resident()
    integer :: unit, all
    open (newunit=unit, file="/proc/self/statm", action="read")
    read (unit, *) all, resident
    close (unit)
  end function

  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    print "(2a)", "failed: ", what
    error stop 1
  end subroutine

end program
