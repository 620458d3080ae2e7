! Ask and tell from Fortran: a thin module over the shared library.
!
!   use gannet
!   type(gannet_optimizer) :: opt
!   call gannet_begin(opt, seed=1, comm=MPI_COMM_WORLD)     ! no comm: this process alone
!   call gannet_real(opt, "x", 0d0, 1d0)
!   call gannet_integer(opt, "fins", 1, 8)
!   call gannet_constraint(opt, "stress", upper=110d0)
!   call gannet_set(opt, "method", "neural-bo")
!   do
!     call gannet_ask(opt, id, x)                            ! x(variables, points)
!     ...
!     call gannet_tell(opt, id, f, constraints=c)            ! c(constraints, points)
!   end do
!   call gannet_best(opt, x1, f1, feasible)
!   call gannet_end(opt)
!
! gannet_begin, gannet_ask, gannet_start, gannet_tell, gannet_tell_point, gannet_discard, gannet_correct, gannet_recommend,
! gannet_predict, gannet_front, gannet_save and gannet_load take an optional ierr, 0 = done; without it an error is printed and the
! program stops with the exit code of the error.
module gannet
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan, ieee_positive_inf
  implicit none
  private
  public :: gannet_optimizer, gannet_begin, gannet_end, gannet_real, gannet_integer, gannet_boolean
  public :: gannet_fixed, gannet_derived, gannet_ordinal, gannet_slack, gannet_when, gannet_get_active
  public :: gannet_objective, gannet_front
  public :: gannet_categorical, gannet_constraint, gannet_variable_constraint, gannet_set, gannet_ask, gannet_tell
  public :: gannet_start
  public :: gannet_tell_point, gannet_discard, gannet_correct
  public :: gannet_tell_related
  public :: gannet_best, gannet_recommend, gannet_predict, gannet_save, gannet_load, gannet_pending, gannet_count
  public :: gannet_quantity, gannet_get_quantity
  public :: gannet_agree, gannet_message
  public :: gannet_done, gannet_cannot_run, gannet_infeasible, gannet_failed, gannet_partial, gannet_minimize, gannet_maximize

  integer(c_int), parameter :: gannet_done = 0, gannet_cannot_run = 1, gannet_failed = 2, gannet_partial = 3
  integer(c_int), parameter :: gannet_infeasible = gannet_cannot_run ! the name until version 0.1
  integer(c_int), parameter :: gannet_minimize = 0, gannet_maximize = 1
  integer, parameter :: longest = 4096 ! characters of a name or a setting, with the final zero
  integer(c_int), parameter :: err_arg = 1, err_memory = 13, err_shape = 3, err_state = 4, err_version = 9 ! of gannet_err

  character(len=*), parameter :: bare = &
    "gannet_when is called behind the variable that the condition is of, and there was none; it is left out"

  ! What this module itself refused, as the library keeps its last error; not allocated = nothing.
  character(len=:), allocatable, save :: refused

  type :: text
    character(kind=c_char, len=1) :: c(longest) = c_null_char
  end type

  type :: variable_entry
    type(text) :: name
    integer(c_int) :: kind = 0
    real(c_double) :: lower = 0, upper = 0
    integer(c_int) :: scale = 0
    type(text), allocatable :: values(:)
    type(c_ptr), allocatable :: pointers(:)
    integer(c_int) :: role = 0
    real(c_double) :: fixed = 0
    type(text) :: expression
    real(c_double) :: step = 0
    real(c_double), allocatable :: numbers(:) ! not allocated = none
    type(text) :: when
  end type

  ! Add a variable with one value. It is in every point, but is not a dimension of the search. For a text, points
  ! contain 0.
  !
  ! Local; the same on all ranks.
  interface gannet_fixed
    module procedure fixed_real, fixed_integer, fixed_logical, fixed_text
  end interface

  ! Add a choice between numbers in ascending order, as in gannet_ordinal(opt, "cells", [16d0, 32d0, 64d0],
  ! log_scale=.true.), or between ordered words. For words, points contain the position, counted from 0.
  !
  ! Local; the same on all ranks.
  interface gannet_ordinal
    module procedure ordinal_numbers, ordinal_words
  end interface

  ! Report results, in any order and any grouping. A result that is not finite counts as a failure of the design.
  !
  ! Collective; the same on all ranks.
  !
  ! id           numbers from gannet_ask
  ! objective    in its own units; of several: objectives(objectives, points)
  ! constraints  constraints(constraints, points), in their own units and order; needed when there are any
  ! outcome      gannet_done (for all, if not given), gannet_cannot_run (the simulation cannot work at this design:
  !              models learn this), gannet_failed (bad luck; it may be told later) or gannet_partial (some objectives or
  !              constraints are missing and NaN, because an early check has ended the evaluation)
  ! ierr         0 = done; without it an error ends the program
  ! quantities   other quantities of these points, or standard deviation (which models use as noise) and gradient of
  !              their objective and constraints; kept for gannet_get_quantity
  interface gannet_tell
    module procedure tell_single, tell_several
  end interface

  ! Report the result of a point that you chose, for example from earlier work. It may be outside the bounds, between steps,
  ! or violate variable constraints. Models learn from it, but it is never the best.
  !
  ! Collective; the same on all ranks.
  !
  ! x            x(variables), in the units of the variables; for fixed and derived variables, NaN is replaced by their
  !              value
  ! objective    in its own units; of several: objectives(objectives)
  ! constraints  constraints(constraints), in their own units and order; needed when there are any
  ! outcome      gannet_done (if not given), gannet_cannot_run, gannet_failed or gannet_partial
  ! id           its number
  ! ierr         0 = done; without it an error ends the program
  ! quantities   as of gannet_tell; their ids are ignored
  interface gannet_tell_point
    module procedure tell_point_single, tell_point_several
  end interface

  ! Replace the result of an evaluation, with the arguments of gannet_tell_point. The next points are those of an
  ! optimiser that was told the corrected results, in their order.
  !
  ! Collective; the same on all ranks.
  !
  ! ierr  0 = done; without it an error ends the program
  interface gannet_correct
    module procedure correct_single, correct_several
  end interface

  ! Tell results of a related problem, for example of the same wing at another speed. They are not evaluations: a prior
  ! is learnt from them. Each call is one problem; at most eight are allowed. The weight of each is learnt from the results of
  ! this problem, for each objective and each constraint.
  !
  ! Collective; the same on all ranks.
  !
  ! x            (variables, points), also outside the bounds; NaN in all points = the related problem has no such variable
  ! objective    (points), of any shift and scale, but with the same sense; NaN = not known; of several:
  !              objectives(objectives, points)
  ! ierr         0 = done; without it an error ends the program
  ! constraints  (constraints, points), of any shift and scale, but with the same sense; NaN = not known
  interface gannet_tell_related
    module procedure tell_related_single, tell_related_several
  end interface

  ! A variable constraint as a function of a point x(variables). It returns the slack: at least 0 if the constraint is
  ! satisfied; negative or NaN = violated.
  abstract interface
    function gannet_slack(x) result(slack)
      import
      real(c_double), intent(in) :: x(:)
      real(c_double) :: slack
    end function
  end interface

  ! Add a relation between variables that no point violates: gannet_variable_constraint(opt, "chord + span <= 10") or
  ! "a + b + c = 1"; or, if no text can express it, a function: gannet_variable_constraint(opt, "clearance", f), with the
  ! interface gannet_slack. Functions must be cheap and return the same on all ranks. The first gannet_ask reports
  ! mistakes.
  !
  ! Local; the same on all ranks.
  interface gannet_variable_constraint
    module procedure constraint_text, constraint_function
  end interface

  type :: function_entry
    type(text) :: name
    integer :: n = 0 ! variables
    procedure(gannet_slack), pointer, nopass :: slack => null()
  end type

  type :: function_box ! a function keeps its address when the list grows
    type(function_entry), pointer :: entry => null()
  end type

  type, bind(c) :: c_function
    type(c_ptr) :: name
    type(c_funptr) :: slack
    type(c_ptr) :: user
  end type

  type :: constraint_entry
    type(text) :: name
    real(c_double) :: lower, upper
  end type

  type :: objective_entry
    type(text) :: name
    integer(c_int) :: goal
    real(c_double) :: threshold, noise
    integer(c_int) :: transform, keeps_penalties
  end type

  type :: setting_entry
    type(text) :: key, value
  end type

  ! A number that a simulation reports with the result of a point.
  type :: gannet_quantity
    integer(c_int64_t) :: id                   ! of the point
    character(len=63) :: name                  ! "objective", one of several, a constraint's, or any other
    real(c_double) :: value                    ! in its own units; not a number = missing
    real(c_double) :: sd = 0                   ! standard deviation of the value; 0 = not known
    real(c_double), allocatable :: gradient(:) ! by the variables, in their order; not allocated = not known
  end type

  type, bind(c) :: c_variable
    type(c_ptr) :: name
    integer(c_int) :: kind
    real(c_double) :: lower, upper
    integer(c_int) :: scale, n_values
    type(c_ptr) :: values
    integer(c_int) :: role
    real(c_double) :: fixed
    type(c_ptr) :: expression
    real(c_double) :: step
    type(c_ptr) :: numbers
    type(c_ptr) :: when
  end type

  type, bind(c) :: c_constraint
    type(c_ptr) :: name
    real(c_double) :: lower, upper
  end type

  type, bind(c) :: c_objective
    type(c_ptr) :: name
    integer(c_int) :: goal
    real(c_double) :: threshold, noise_sd
    integer(c_int) :: transform, keeps_penalties
  end type

  type, bind(c) :: c_spec
    integer(c_int) :: n_variables
    type(c_ptr) :: variables
    integer(c_int) :: n_constraints
    type(c_ptr) :: constraints
    integer(c_int) :: goal
    real(c_double) :: noise_sd
    integer(c_int) :: n_objectives = 0
    type(c_ptr) :: objectives = c_null_ptr
  end type

  type, bind(c) :: c_setting
    type(c_ptr) :: key, value
  end type

  type, bind(c) :: c_result
    integer(c_int64_t) :: id
    integer(c_int) :: outcome
    real(c_double) :: objective
    type(c_ptr) :: constraints
    integer(c_int) :: n_quantities
    type(c_ptr) :: quantities
    type(c_ptr) :: objectives = c_null_ptr
  end type

  type, bind(c) :: c_quantity
    type(c_ptr) :: name
    real(c_double) :: value, sd
    type(c_ptr) :: gradient
  end type

  type, bind(c) :: c_best
    integer(c_int64_t) :: id
    real(c_double) :: objective
    integer(c_int) :: feasible, runs
    real(c_double) :: error
  end type

  type, bind(c) :: c_counts
    integer(c_int64_t) :: pending, done, feasible, cannot_run, failed
  end type

  type, bind(c) :: c_recommendation
    integer(c_int64_t) :: id
    real(c_double) :: mean, sd, noise_sd
  end type

  type, bind(c) :: c_prediction
    real(c_double) :: mean, sd, kept
  end type

  type, bind(c) :: c_feasibility
    real(c_double) :: can_run, feasible
  end type

  type :: gannet_optimizer
    private
    type(c_ptr) :: context = c_null_ptr, problem = c_null_ptr, handle = c_null_ptr
    integer(c_int) :: goal = gannet_minimize
    real(c_double) :: noise = 0
    logical :: is_late = .false. ! something was added when it could not be any more; told by the next call
    logical :: is_bare = .false. ! a condition was given before any variable; told by the next call
    type(variable_entry), allocatable :: variables(:)
    type(constraint_entry), allocatable :: constraints(:)
    type(objective_entry), allocatable :: objectives(:) ! none = a single one
    type(setting_entry), allocatable :: settings(:)
    type(text), allocatable :: relations(:)
    type(function_box), allocatable :: functions(:)
  end type

  interface
    function context_create_fortran(comm, seed, context) bind(c, name="gannet_context_create_fortran")
      import
      integer(c_int), value :: comm
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(out) :: context
      integer(c_int) :: context_create_fortran
    end function
    function context_create_alone(seed, context) bind(c, name="gannet_context_create_alone")
      import
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(out) :: context
      integer(c_int) :: context_create_alone
    end function
    function context_agree(context, code, text) bind(c, name="gannet_context_agree")
      import
      type(c_ptr), value :: context
      integer(c_int), value :: code
      character(kind=c_char, len=1), intent(in) :: text(*)
      integer(c_int) :: context_agree
    end function
    subroutine context_destroy(context) bind(c, name="gannet_context_destroy")
      import
      type(c_ptr), intent(inout) :: context
    end subroutine
    function problem_create(spec, problem) bind(c, name="gannet_problem_create")
      import
      type(c_spec), intent(in) :: spec
      type(c_ptr), intent(out) :: problem
      integer(c_int) :: problem_create
    end function
    function problem_get_active(problem, x, active) bind(c, name="gannet_problem_get_active")
      import
      type(c_ptr), value :: problem
      real(c_double), intent(in) :: x(*)
      integer(c_int), intent(out) :: active(*)
      integer(c_int) :: problem_get_active
    end function
    function problem_set_variable_constraints(problem, n, texts) &
      bind(c, name="gannet_problem_set_variable_constraints")
      import
      type(c_ptr), value :: problem
      integer(c_int), value :: n
      type(c_ptr), intent(in) :: texts(*)
      integer(c_int) :: problem_set_variable_constraints
    end function
    function problem_set_variable_functions(problem, n, functions) &
      bind(c, name="gannet_problem_set_variable_functions")
      import
      type(c_ptr), value :: problem
      integer(c_int), value :: n
      type(c_function), intent(in) :: functions(*)
      integer(c_int) :: problem_set_variable_functions
    end function
    subroutine problem_destroy(problem) bind(c, name="gannet_problem_destroy")
      import
      type(c_ptr), intent(inout) :: problem
    end subroutine
    function optimizer_create(context, problem, n, settings, handle) bind(c, name="gannet_optimizer_create")
      import
      type(c_ptr), value :: context, problem
      integer(c_int), value :: n
      type(c_setting), intent(in) :: settings(*)
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: optimizer_create
    end function
    subroutine optimizer_destroy(handle) bind(c, name="gannet_optimizer_destroy")
      import
      type(c_ptr), intent(inout) :: handle
    end subroutine
    function optimizer_ask(handle, q, id, x) bind(c, name="gannet_optimizer_ask")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: q
      integer(c_int64_t), intent(out) :: id(*)
      real(c_double), intent(out) :: x(*)
      integer(c_int) :: optimizer_ask
    end function
    function optimizer_start(handle, n, x, id) bind(c, name="gannet_optimizer_start")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: n
      real(c_double), intent(inout) :: x(*)
      integer(c_int64_t), intent(out) :: id(*)
      integer(c_int) :: optimizer_start
    end function
    function optimizer_tell(handle, n, results) bind(c, name="gannet_optimizer_tell")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: n
      type(c_result), intent(in) :: results(*)
      integer(c_int) :: optimizer_tell
    end function
    function optimizer_tell_point(handle, x, evaluated, id) bind(c, name="gannet_optimizer_tell_point")
      import
      type(c_ptr), value :: handle
      real(c_double), intent(in) :: x(*)
      type(c_result), intent(in) :: evaluated
      integer(c_int64_t), intent(out) :: id
      integer(c_int) :: optimizer_tell_point
    end function
    function optimizer_tell_related(handle, n, x, results) bind(c, name="gannet_optimizer_tell_related_results")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: n
      real(c_double), intent(in) :: x(*)
      type(c_result), intent(in) :: results(*)
      integer(c_int) :: optimizer_tell_related
    end function
    function optimizer_discard(handle, id) bind(c, name="gannet_optimizer_discard")
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: id
      integer(c_int) :: optimizer_discard
    end function
    function optimizer_correct(handle, id, evaluated) bind(c, name="gannet_optimizer_correct")
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: id
      type(c_result), intent(in) :: evaluated
      integer(c_int) :: optimizer_correct
    end function
    function optimizer_quantity(handle, id, name, quantity) bind(c, name="gannet_optimizer_quantity")
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: id
      character(kind=c_char), intent(in) :: name(*)
      type(c_quantity), intent(out) :: quantity
      integer(c_int) :: optimizer_quantity
    end function
    subroutine optimizer_best(handle, best, x) bind(c, name="gannet_optimizer_best")
      import
      type(c_ptr), value :: handle
      type(c_best), intent(out) :: best
      real(c_double), intent(out) :: x(*)
    end subroutine
    subroutine optimizer_count(handle, counts) bind(c, name="gannet_optimizer_count")
      import
      type(c_ptr), value :: handle
      type(c_counts), intent(out) :: counts
    end subroutine
    function optimizer_recommend(handle, recommendation, x) bind(c, name="gannet_optimizer_recommend")
      import
      type(c_ptr), value :: handle
      type(c_recommendation), intent(out) :: recommendation
      real(c_double), intent(out) :: x(*)
      integer(c_int) :: optimizer_recommend
    end function
    function optimizer_predict(handle, n, x, predictions, feasibility) bind(c, name="gannet_optimizer_predict")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: n
      real(c_double), intent(in) :: x(*)
      type(c_prediction), intent(out) :: predictions(*)
      type(c_feasibility), intent(out) :: feasibility(*)
      integer(c_int) :: optimizer_predict
    end function
    function optimizer_front(handle, most, id, x, objectives, reference, hypervolume) bind(c, name="gannet_optimizer_front")
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: most
      integer(c_int64_t), intent(out) :: id(*)
      real(c_double), intent(out) :: x(*), objectives(*), reference(*), hypervolume
      integer(c_int64_t) :: optimizer_front
    end function
    function optimizer_save(handle, path) bind(c, name="gannet_optimizer_save")
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: optimizer_save
    end function
    function optimizer_load(handle, path) bind(c, name="gannet_optimizer_load")
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: optimizer_load
    end function
    function optimizer_pending(handle, most, id, x) bind(c, name="gannet_optimizer_pending")
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: most
      integer(c_int64_t), intent(out) :: id(*)
      real(c_double), intent(out) :: x(*)
      integer(c_int64_t) :: optimizer_pending
    end function
    function error_message() bind(c, name="gannet_error_message")
      import
      type(c_ptr) :: error_message
    end function
    function err_exit(code) bind(c, name="gannet_err_exit")
      import
      integer(c_int), value :: code
      integer(c_int) :: err_exit
    end function
    function library_version() bind(c, name="gannet_version")
      import
      type(c_ptr) :: library_version
    end function
    function struct_size(name) bind(c, name="gannet_struct_size")
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t) :: struct_size
    end function
    function strlen(string) bind(c, name="strlen")
      import
      type(c_ptr), value :: string
      integer(c_size_t) :: strlen
    end function
  end interface

contains

  ! The message of the last error of this process; "" when nothing failed yet.
  !
  ! Local.
  function gannet_message() result(message)
    character(len=:), allocatable :: message
    if (allocated(refused)) then
      message = refused
    else
      message = from_c(error_message())
    end if
  end function

  function from_c(address) result(made)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: made
    character(kind=c_char), pointer :: c(:)
    integer :: i, n
    n = int(strlen(address))
    call c_f_pointer(address, c, [n])
    allocate (character(len=n) :: made)
    do i = 1, n
      made(i:i) = c(i)
    end do
  end function

  ! A library whose structures differ would read and write where this module has none.
  subroutine check_library(code)
    integer(c_int), intent(out) :: code
    type(c_variable) :: variable
    type(c_constraint) :: constraint
    type(c_objective) :: objective
    type(c_spec) :: spec
    type(c_setting) :: setting
    type(c_function) :: function
    type(c_quantity) :: quantity
    type(c_result) :: evaluated
    type(c_best) :: best
    type(c_counts) :: counts
    type(c_recommendation) :: recommendation
    type(c_prediction) :: prediction
    type(c_feasibility) :: feasibility
    code = 0
    call check_size("gannet_variable", c_sizeof(variable), code)
    call check_size("gannet_constraint", c_sizeof(constraint), code)
    call check_size("gannet_objective", c_sizeof(objective), code)
    call check_size("gannet_problem_spec", c_sizeof(spec), code)
    call check_size("gannet_method_setting", c_sizeof(setting), code)
    call check_size("gannet_variable_function", c_sizeof(function), code)
    call check_size("gannet_quantity", c_sizeof(quantity), code)
    call check_size("gannet_result", c_sizeof(evaluated), code)
    call check_size("gannet_best", c_sizeof(best), code)
    call check_size("gannet_counts", c_sizeof(counts), code)
    call check_size("gannet_recommendation", c_sizeof(recommendation), code)
    call check_size("gannet_prediction", c_sizeof(prediction), code)
    call check_size("gannet_feasibility", c_sizeof(feasibility), code)
  end subroutine

  subroutine check_size(name, expected, code)
    character(len=*), intent(in) :: name
    integer(c_size_t), intent(in) :: expected
    integer(c_int), intent(inout) :: code
    integer(c_size_t) :: found
    character(len=300) :: line
    found = struct_size(name // c_null_char)
    if (code /= 0 .or. found == expected) return
    write (line, "(5a,i0,a,i0,a)") "the library has version ", from_c(library_version()), ", whose ", name, " has ", found, &
      " bytes, not ", expected, "; compile the gannet.f90 that was installed with it"
    refused = trim(line)
    code = err_version
  end subroutine

  ! Hand a code to the caller, or end the program as gannet itself would.
  subroutine settle(code, ierr)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = int(code)
    else if (code /= 0) then
      write (error_unit, "(2a)") "gannet: error: ", gannet_message()
      stop err_exit(code)
    end if
  end subroutine

  ! Arrays that do not fit together: the shape that one has and the one that it should have.
  subroutine compare_shapes(what, given, expected, code)
    character(len=*), intent(in) :: what
    integer, intent(in) :: given(:), expected(:)
    integer(c_int), intent(inout) :: code
    character(len=200) :: line
    if (code /= 0 .or. all(given == expected)) return
    write (line, "(2a,*(i0,:,', '))") what, " has the shape ", given
    write (line(len_trim(line) + 1:), "(a,*(i0,:,', '))") ", expected ", expected
    refused = trim(line)
    code = err_shape
  end subroutine

  ! Calls in an order that is not possible.
  subroutine check_order(opt, code)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int), intent(out) :: code
    call forget_refusal()
    code = 0
    if (.not. c_associated(opt%context)) then
      refused = "gannet_begin was not called, or gannet_end was since"
      code = err_state
    else if (opt%is_late) then
      refused = "variables, constraints and settings are added before the first gannet_ask; this one is left out"
      code = err_state
    else if (opt%is_bare) then
      refused = bare
      code = err_state
    end if
    opt%is_late = .false.
    opt%is_bare = .false.
  end subroutine

  ! Whether variables, constraints and settings can be added.
  logical function is_open(opt)
    type(gannet_optimizer), intent(inout) :: opt
    is_open = allocated(opt%variables) .and. .not. c_associated(opt%handle)
    opt%is_late = opt%is_late .or. .not. is_open
  end function

  pure integer function count_variables(opt)
    type(gannet_optimizer), intent(in) :: opt
    count_variables = 0
    if (allocated(opt%variables)) count_variables = size(opt%variables)
  end function

  pure integer function count_constraints(opt)
    type(gannet_optimizer), intent(in) :: opt
    count_constraints = 0
    if (allocated(opt%constraints)) count_constraints = size(opt%constraints)
  end function

  pure integer function count_objectives(opt)
    type(gannet_optimizer), intent(in) :: opt
    count_objectives = 1
    if (allocated(opt%objectives)) count_objectives = max(1, size(opt%objectives))
  end function

  subroutine forget_refusal()
    if (allocated(refused)) deallocate (refused)
  end subroutine

  pure function as_text(string) result(made)
    character(len=*), intent(in) :: string
    type(text) :: made
    integer :: i
    if (len_trim(string) >= longest) error stop "gannet: a name or setting of more than 4095 characters"
    do i = 1, len_trim(string)
      made%c(i) = string(i:i)
    end do
  end function

  ! Begin a problem without variables. If opt contains an earlier problem, that is ended first, as by
  ! gannet_end.
  !
  ! Collective over comm; everything the same on all ranks.
  !
  ! seed   every random number derives from it; at least 0
  ! comm   of the mpi module, or %MPI_VAL of the mpi_f08 module; duplicated; if not given: this process alone,
  !        and the library starts and ends MPI
  ! goal   gannet_minimize (the default) or gannet_maximize
  ! noise  standard deviation of the objective, in its units; 0 = exact, not given = to be learned
  ! ierr   0 = done; without it an error ends the program
  subroutine gannet_begin(opt, seed, comm, goal, noise, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    integer, intent(in) :: seed
    integer, intent(in), optional :: comm, goal
    real(c_double), intent(in), optional :: noise
    integer, intent(out), optional :: ierr
    integer(c_int) :: code
    call forget_refusal()
    call gannet_end(opt)
    opt = gannet_optimizer()
    allocate (opt%variables(0), opt%constraints(0), opt%objectives(0), opt%settings(0), opt%relations(0), opt%functions(0))
    opt%noise = ieee_value(0.0_c_double, ieee_quiet_nan)
    if (present(noise)) opt%noise = noise
    if (present(goal)) opt%goal = int(goal, c_int)
    call check_library(code)
    if (code /= 0) then
      call settle(code, ierr)
      return
    end if
    if (seed < 0) then
      refused = "the seed is negative, expected at least 0"
      code = err_arg
    else if (present(comm)) then
      code = context_create_fortran(int(comm, c_int), int(seed, c_int64_t), opt%context)
    else
      code = context_create_alone(int(seed, c_int64_t), opt%context)
    end if
    call settle(code, ierr)
  end subroutine

  ! Make an error on one rank known to all ranks. Use it when a function of a variable constraint has failed on some
  ! ranks only: these would leave the others waiting in the next collective call.
  !
  ! Collective; may differ between ranks.
  !
  ! ierr  before: 0 = nothing has failed here; afterwards 0, or on all ranks the largest of all ranks
  ! text  what has failed; gannet_message returns that of the lowest rank with this ierr
  subroutine gannet_agree(opt, ierr, text)
    type(gannet_optimizer), intent(inout) :: opt
    integer, intent(inout) :: ierr
    character(len=*), intent(in), optional :: text
    character(len=:), allocatable :: why
    integer(c_int) :: code
    call check_order(opt, code)
    why = ""
    if (present(text)) why = trim(text)
    if (code == 0) code = context_agree(opt%context, int(ierr, c_int), why//c_null_char)
    ierr = int(code)
  end subroutine

  subroutine add(opt, name, kind, lower, upper, log_scale)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    integer, intent(in) :: kind
    real(c_double), intent(in) :: lower, upper
    logical, intent(in), optional :: log_scale
    type(variable_entry) :: entry
    if (.not. is_open(opt)) return
    entry%name = as_text(name)
    entry%kind = int(kind, c_int)
    entry%lower = lower
    entry%upper = upper
    if (present(log_scale)) entry%scale = merge(1_c_int, 0_c_int, log_scale)
    allocate (entry%values(0))
    opt%variables = [opt%variables, entry]
  end subroutine

  ! Add a real variable, from lower to upper in your units; log_scale if equal factors matter equally, not
  ! equal differences. With a step, the values are lower, lower + step, and so on. Variables are added before the
  ! first gannet_ask.
  !
  ! Local; the same on all ranks.
  subroutine gannet_real(opt, name, lower, upper, log_scale, step)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: lower, upper
    logical, intent(in), optional :: log_scale
    real(c_double), intent(in), optional :: step
    if (.not. is_open(opt)) return
    call add(opt, name, 0, lower, upper, log_scale)
    if (present(step)) opt%variables(size(opt%variables))%step = step
  end subroutine

  ! Add an integer variable, both bounds included. With a step, the values are lower, lower + step, and so on.
  !
  ! Local; the same on all ranks.
  subroutine gannet_integer(opt, name, lower, upper, log_scale, step)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    integer, intent(in) :: lower, upper
    logical, intent(in), optional :: log_scale
    integer, intent(in), optional :: step
    if (.not. is_open(opt)) return
    call add(opt, name, 1, real(lower, c_double), real(upper, c_double), log_scale)
    if (present(step)) opt%variables(size(opt%variables))%step = real(step, c_double)
  end subroutine

  subroutine ordinal_numbers(opt, name, values, log_scale)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: values(:)
    logical, intent(in), optional :: log_scale
    if (.not. is_open(opt)) return
    call add(opt, name, 4, 0.0_c_double, 0.0_c_double, log_scale)
    opt%variables(size(opt%variables))%numbers = values
  end subroutine

  subroutine ordinal_words(opt, name, values)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name, values(:)
    if (.not. is_open(opt)) return
    call gannet_categorical(opt, name, values)
    opt%variables(size(opt%variables))%kind = 4
  end subroutine

  ! Add a boolean variable; points contain 0 or 1.
  !
  ! Local; the same on all ranks.
  subroutine gannet_boolean(opt, name)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    call add(opt, name, 2, 0.0_c_double, 0.0_c_double)
  end subroutine

  ! Add a categorical variable; points contain the position of a name, counted from 0.
  !
  ! Local; the same on all ranks.
  subroutine gannet_categorical(opt, name, values)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name, values(:)
    integer :: i
    if (.not. is_open(opt)) return
    call add(opt, name, 3, 0.0_c_double, 0.0_c_double)
    associate (entry => opt%variables(size(opt%variables)))
      entry%values = [(as_text(values(i)), i=1, size(values))]
    end associate
  end subroutine

  subroutine add_fixed(opt, name, kind, value)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    integer, intent(in) :: kind
    real(c_double), intent(in) :: value
    if (.not. is_open(opt)) return
    call add(opt, name, kind, 0.0_c_double, 0.0_c_double)
    opt%variables(size(opt%variables))%role = 1
    opt%variables(size(opt%variables))%fixed = value
  end subroutine

  subroutine fixed_real(opt, name, value)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value
    call add_fixed(opt, name, 0, value)
  end subroutine

  subroutine fixed_integer(opt, name, value)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    integer, intent(in) :: value
    call add_fixed(opt, name, 1, real(value, c_double))
  end subroutine

  subroutine fixed_logical(opt, name, value)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    logical, intent(in) :: value
    call add_fixed(opt, name, 2, merge(1.0_c_double, 0.0_c_double, value))
  end subroutine

  subroutine fixed_text(opt, name, value)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name, value
    if (.not. is_open(opt)) return
    call add_fixed(opt, name, 3, 0.0_c_double)
    opt%variables(size(opt%variables))%values = [as_text(value)]
  end subroutine

  ! Add a variable that is computed from others, as in "chord*span" or "solver == 'cg' ? 1 : 2". It is in every
  ! point, but is not a dimension of the search.
  !
  ! Local; the same on all ranks.
  subroutine gannet_derived(opt, name, expression)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name, expression
    if (.not. is_open(opt)) return
    call add(opt, name, 0, 0.0_c_double, 0.0_c_double)
    opt%variables(size(opt%variables))%role = 2
    opt%variables(size(opt%variables))%expression = as_text(expression)
  end subroutine

  ! Make the variable that was added last conditional: it is active only where the condition is true, as in
  ! gannet_when(opt, "solver == 'gmres' and cells > 16"). Elsewhere it always has the same value in points, which
  ! has no meaning. gannet_get_active shows where it is active.
  !
  ! Local; the same on all ranks.
  subroutine gannet_when(opt, condition)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: condition
    if (.not. is_open(opt)) return
    if (size(opt%variables) == 0) then
      refused = bare
      opt%is_bare = .true.
      return
    end if
    opt%variables(size(opt%variables))%when = as_text(condition)
  end subroutine

  ! Whether each variable is active at a point; .false. for those whose condition (gannet_when) is not true.
  !
  ! Local, after the first gannet_ask.
  subroutine gannet_get_active(opt, x, active, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(in) :: x(:)
    logical, intent(out) :: active(:)
    integer, intent(out), optional :: ierr
    integer(c_int) :: code, found(count_variables(opt))
    call check_order(opt, code)
    call compare_shapes("x(variables)", shape(x), shape(found), code)
    call compare_shapes("active(variables)", shape(active), shape(found), code)
    if (code == 0) call make(opt, code)
    found = 1
    if (code == 0) code = problem_get_active(opt%problem, x, found)
    active = .true.
    if (code == 0) active = found /= 0
    call settle(code, ierr)
  end subroutine

  ! Add a quantity with limits, in its own units. It is feasible between the bounds; one may be left out.
  !
  ! Local; the same on all ranks.
  subroutine gannet_constraint(opt, name, lower, upper)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    real(c_double), intent(in), optional :: lower, upper
    type(constraint_entry) :: entry
    if (.not. is_open(opt)) return
    entry%name = as_text(name)
    entry%lower = -ieee_value(0.0_c_double, ieee_positive_inf)
    entry%upper = ieee_value(0.0_c_double, ieee_positive_inf)
    if (present(lower)) entry%lower = lower
    if (present(upper)) entry%upper = upper
    opt%constraints = [opt%constraints, entry]
  end subroutine

  ! Add one of several objectives. Without any there is a single one, with the goal and noise of gannet_begin.
  ! gannet_front returns the points that no other one dominates.
  !
  ! Local; the same on all ranks.
  !
  ! maximize   .false. if not given
  ! threshold  worst value of interest; not given, or NaN = chosen from the results
  ! noise      standard deviation, in its units; 0 = exact, not given = to be learned
  ! transform  'none', 'log' or 'auto', for the model; not given = auto, which takes log where
  !            values of the front spread far
  ! penalties  .true. (if not given): a penalty value, such as 1e10 for a solver that diverged, makes a result count as a
  !            failure of its design; .false. = every value counts as it is
  subroutine gannet_objective(opt, name, maximize, threshold, noise, transform, penalties)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    logical, intent(in), optional :: maximize
    real(c_double), intent(in), optional :: threshold, noise
    character(len=*), intent(in), optional :: transform
    logical, intent(in), optional :: penalties
    type(objective_entry) :: entry
    if (.not. is_open(opt)) return
    entry%name = as_text(name)
    entry%goal = gannet_minimize
    if (present(maximize)) entry%goal = merge(gannet_maximize, gannet_minimize, maximize)
    entry%threshold = ieee_value(0.0_c_double, ieee_quiet_nan)
    entry%noise = entry%threshold
    if (present(threshold)) entry%threshold = threshold
    if (present(noise)) entry%noise = noise
    entry%transform = 0
    if (present(transform)) then
      select case (transform)
      case ('auto'); entry%transform = 0
      case ('none'); entry%transform = 1
      case ('log'); entry%transform = 2
      case default; entry%transform = -1 ! is complained about when the problem is made
      end select
    end if
    entry%keeps_penalties = 0
    if (present(penalties)) entry%keeps_penalties = merge(0, 1, penalties)
    opt%objectives = [opt%objectives, entry]
  end subroutine

  subroutine constraint_text(opt, relation)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: relation
    if (is_open(opt)) opt%relations = [opt%relations, as_text(relation)]
  end subroutine

  subroutine constraint_function(opt, name, slack)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: name
    procedure(gannet_slack) :: slack
    type(function_box) :: box
    if (.not. is_open(opt)) return
    allocate (box%entry)
    box%entry%name = as_text(name)
    box%entry%slack => slack
    opt%functions = [opt%functions, box]
  end subroutine

  ! What the library calls.
  function call_slack(user, x) result(slack) bind(c, name="")
    type(c_ptr), value :: user
    real(c_double), intent(in) :: x(*)
    real(c_double) :: slack
    type(function_entry), pointer :: entry
    call c_f_pointer(user, entry)
    slack = entry%slack(x(1:entry%n))
  end function

  ! Set an option of the method, as in a campaign file: gannet_set(opt, "surrogate.width", "256"). The first gannet_ask
  ! reports mistakes. With "cost.weigh" set to "yes" points are proposed by their gain per cost. The cost is the quantity of
  ! the results that "cost.from" names, and counts less as "budget.cost" or "budget.evaluations" is used up.
  !
  ! Local; the same on all ranks.
  subroutine gannet_set(opt, key, value)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: key, value
    if (is_open(opt)) opt%settings = [opt%settings, setting_entry(as_text(key), as_text(value))]
  end subroutine

  subroutine make_problem(opt, code)
    type(gannet_optimizer), intent(inout), target :: opt
    integer(c_int), intent(out) :: code
    type(c_variable), allocatable, target :: variables(:)
    type(c_constraint), allocatable, target :: constraints(:)
    type(c_objective), allocatable, target :: objectives(:)
    type(c_ptr), allocatable :: relations(:)
    type(c_function), allocatable :: functions(:)
    integer :: i, k
    allocate (variables(size(opt%variables)), constraints(size(opt%constraints)), objectives(size(opt%objectives)))
    do i = 1, size(variables)
      associate (entry => opt%variables(i))
        entry%pointers = [(c_loc(entry%values(k)%c), k=1, size(entry%values))]
        variables(i) = c_variable(c_loc(entry%name%c), entry%kind, entry%lower, entry%upper, entry%scale, &
                                  size(entry%values, kind=c_int), c_null_ptr, entry%role, entry%fixed, &
                                  c_loc(entry%expression%c), entry%step, c_null_ptr, c_loc(entry%when%c))
        if (size(entry%values) > 0) variables(i)%values = c_loc(entry%pointers)
        if (allocated(entry%numbers)) then
          variables(i)%n_values = size(entry%numbers, kind=c_int)
          variables(i)%numbers = c_loc(entry%numbers)
        end if
      end associate
    end do
    do i = 1, size(constraints)
      constraints(i) = c_constraint(c_loc(opt%constraints(i)%name%c), opt%constraints(i)%lower, &
                                    opt%constraints(i)%upper)
    end do
    do i = 1, size(objectives)
      associate (entry => opt%objectives(i))
        objectives(i) = c_objective(c_loc(entry%name%c), entry%goal, entry%threshold, entry%noise, &
                                    entry%transform, entry%keeps_penalties)
      end associate
    end do
    code = problem_create(c_spec(size(variables, kind=c_int), c_loc(variables), size(constraints, kind=c_int), &
                                 c_loc(constraints), opt%goal, opt%noise, size(objectives, kind=c_int), &
                                 c_loc(objectives)), opt%problem)
    if (code /= 0) return
    relations = [(c_loc(opt%relations(i)%c), i=1, size(opt%relations))]
    code = problem_set_variable_constraints(opt%problem, size(relations, kind=c_int), relations)
    if (code /= 0) return
    allocate (functions(size(opt%functions)))
    do i = 1, size(functions)
      opt%functions(i)%entry%n = size(opt%variables)
      functions(i) = c_function(c_loc(opt%functions(i)%entry%name%c), c_funloc(call_slack), &
                                c_loc(opt%functions(i)%entry))
    end do
    code = problem_set_variable_functions(opt%problem, size(functions, kind=c_int), functions)
  end subroutine

  ! The optimiser is made at the first use, when all variables are known.
  subroutine make(opt, code)
    type(gannet_optimizer), intent(inout), target :: opt
    integer(c_int), intent(out) :: code
    type(c_setting), allocatable :: settings(:)
    integer :: i
    code = 0
    if (c_associated(opt%handle)) return
    call problem_destroy(opt%problem) ! of an attempt whose settings were wrong
    call make_problem(opt, code)
    if (code /= 0) return
    allocate (settings(size(opt%settings)))
    do i = 1, size(settings)
      settings(i) = c_setting(c_loc(opt%settings(i)%key%c), c_loc(opt%settings(i)%value%c))
    end do
    code = optimizer_create(opt%context, opt%problem, size(settings, kind=c_int), settings, opt%handle)
  end subroutine

  ! Propose as many points as id has elements. They differ from each other and from all earlier ones
  ! while the problem has that many untried designs.
  !
  ! Collective; the same points on all ranks.
  !
  ! id    their numbers, to tell results with
  ! x     x(variables, points), in the units of the variables and their order
  ! ierr  0 = done; without it an error ends the program
  subroutine gannet_ask(opt, id, x, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int64_t), intent(out) :: id(:)
    real(c_double), intent(out) :: x(:, :)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: ids(size(id))
    real(c_double) :: points(count_variables(opt), size(id))
    integer(c_int) :: code
    id = -1
    x = 0
    call check_order(opt, code)
    call compare_shapes("x(variables, points)", shape(x), shape(points), code)
    if (code == 0) call make(opt, code)
    if (code == 0) code = optimizer_ask(opt%handle, size(id, kind=c_int), ids, points)
    if (code == 0) then
      id = ids
      x = points
    end if
    call settle(code, ierr)
  end subroutine

  ! Propose your own designs, as many as id has elements, usually before the first gannet_ask, but also later. They count
  ! as designs of the setting initial.
  !
  ! Collective; the same on all ranks.
  !
  ! x     x(variables, designs): NaN is replaced by values of the next points of the first design, such that variable
  !       constraints hold and given conditional variables are active
  ! id    their numbers, to tell results with
  ! ierr  0 = done; without it an error ends the program
  subroutine gannet_start(opt, x, id, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(inout) :: x(:, :)
    integer(c_int64_t), intent(out) :: id(:)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: ids(size(id))
    real(c_double) :: designs(count_variables(opt), size(id))
    integer(c_int) :: code
    id = -1
    call check_order(opt, code)
    call compare_shapes("x(variables, designs)", shape(x), shape(designs), code)
    if (code == 0) call make(opt, code)
    if (code == 0) then
      designs = x
      code = optimizer_start(opt%handle, size(id, kind=c_int), designs, ids)
    end if
    if (code == 0) then
      id = ids
      x = designs
    end if
    call settle(code, ierr)
  end subroutine

  subroutine tell_single(opt, id, objective, constraints, outcome, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int64_t), intent(in) :: id(:)
    real(c_double), intent(in) :: objective(:)
    real(c_double), intent(in), optional :: constraints(:, :)
    integer(c_int), intent(in), optional :: outcome(:)
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    integer(c_int) :: code
    call check_order(opt, code)
    call compare_shapes("objective(points)", shape(objective), shape(id), code)
    call tell_all(opt, id, reshape(objective, [1, size(objective)]), .false., constraints, outcome, code, ierr, quantities)
  end subroutine

  subroutine tell_several(opt, id, objectives, constraints, outcome, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int64_t), intent(in) :: id(:)
    real(c_double), intent(in) :: objectives(:, :)
    real(c_double), intent(in), optional :: constraints(:, :)
    integer(c_int), intent(in), optional :: outcome(:)
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    integer(c_int) :: code
    call check_order(opt, code)
    call compare_shapes("objectives(objectives, points)", shape(objectives), [count_objectives(opt), size(id)], code)
    call tell_all(opt, id, objectives, .true., constraints, outcome, code, ierr, quantities)
  end subroutine

  ! several  the objectives are told as an array, not as the only one
  ! code     /= 0: something is wrong already
  subroutine tell_all(opt, id, objectives, several, constraints, outcome, code, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int64_t), intent(in) :: id(:)
    real(c_double), intent(in) :: objectives(:, :)
    logical, intent(in) :: several
    real(c_double), intent(in), optional :: constraints(:, :)
    integer(c_int), intent(in), optional :: outcome(:)
    integer(c_int), intent(inout) :: code
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    real(c_double), target :: values(count_constraints(opt), size(id)), goals(size(objectives, 1), size(objectives, 2))
    type(c_result) :: results(size(id))
    type(c_quantity), allocatable, target :: list(:)
    type(text), allocatable, target :: names(:)
    integer :: i, k, n
    if (present(constraints)) call compare_shapes("constraints(constraints, points)", shape(constraints), &
                                                  shape(values), code)
    if (present(outcome)) call compare_shapes("outcome(points)", shape(outcome), shape(id), code)
    n = 0
    if (present(quantities)) n = size(quantities)
    do k = 1, n
      if (allocated(quantities(k)%gradient)) call compare_shapes("gradient(variables)", shape(quantities(k)%gradient), &
                                                                 [count_variables(opt)], code)
      if (code == 0 .and. .not. any(id == quantities(k)%id)) then
        refused = "quantity " // trim(quantities(k)%name) // ": its id is that of no point that is told"
        code = err_arg
      end if
    end do
    if (code /= 0) then
      call settle(code, ierr)
      return
    end if
    allocate (list(n), names(n))
    goals = objectives
    values = ieee_value(0.0_c_double, ieee_quiet_nan)
    if (present(constraints)) values = constraints ! without them the library tells what is missing
    n = 0
    do i = 1, size(id)
      results(i) = c_result(id(i), gannet_done, 0.0_c_double, c_null_ptr, 0, c_null_ptr)
      if (several) then
        results(i)%objectives = c_loc(goals(1, i))
      else
        results(i)%objective = goals(1, i)
      end if
      do k = 1, size(list)
        if (quantities(k)%id /= id(i) .or. n == size(list)) cycle
        n = n + 1
        names(n) = as_text(quantities(k)%name)
        list(n) = c_quantity(c_loc(names(n)), quantities(k)%value, quantities(k)%sd, c_null_ptr)
        if (allocated(quantities(k)%gradient)) list(n)%gradient = c_loc(quantities(k)%gradient)
        results(i)%n_quantities = results(i)%n_quantities + 1
        results(i)%quantities = c_loc(list(n - results(i)%n_quantities + 1))
      end do
      if (present(outcome)) results(i)%outcome = outcome(i)
      if (present(constraints) .and. size(values, 1) > 0) results(i)%constraints = c_loc(values(1, i))
    end do
    call make(opt, code)
    if (code == 0) code = optimizer_tell(opt%handle, size(id, kind=c_int), results)
    call settle(code, ierr)
  end subroutine

  ! One result as the library takes it. What it points at is that of the caller: the goals, which are its objectives,
  ! quantities, the list of as many places, and values, which get the constraints.
  subroutine make_result(opt, goals, several, constraints, outcome, quantities, values, names, list, evaluated, code)
    type(gannet_optimizer), intent(in) :: opt
    real(c_double), intent(in), target :: goals(:)
    logical, intent(in) :: several
    real(c_double), intent(in), optional :: constraints(:)
    integer(c_int), intent(in), optional :: outcome
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    real(c_double), intent(out), target :: values(:)
    type(text), allocatable, intent(out), target :: names(:)
    type(c_quantity), allocatable, intent(out), target :: list(:)
    type(c_result), intent(out) :: evaluated
    integer(c_int), intent(inout) :: code
    integer :: k, n
    n = 0
    values = 0
    if (present(quantities)) n = size(quantities)
    allocate (names(n), list(n))
    evaluated = c_result(-1_c_int64_t, gannet_done, 0.0_c_double, c_null_ptr, int(n, c_int), c_null_ptr)
    if (several) call compare_shapes("objectives(objectives)", shape(goals), [count_objectives(opt)], code)
    if (several) then
      evaluated%objectives = c_loc(goals)
    else
      evaluated%objective = goals(1)
    end if
    if (present(constraints)) call compare_shapes("constraints(constraints)", shape(constraints), shape(values), code)
    do k = 1, n
      if (allocated(quantities(k)%gradient)) call compare_shapes("gradient(variables)", shape(quantities(k)%gradient), &
                                                                 [count_variables(opt)], code)
      names(k) = as_text(quantities(k)%name)
      list(k) = c_quantity(c_loc(names(k)), quantities(k)%value, quantities(k)%sd, c_null_ptr)
      if (allocated(quantities(k)%gradient)) list(k)%gradient = c_loc(quantities(k)%gradient)
    end do
    if (code /= 0) return
    if (present(outcome)) evaluated%outcome = outcome
    if (present(constraints)) values = constraints
    if (present(constraints) .and. size(values) > 0) evaluated%constraints = c_loc(values)
    if (n > 0) evaluated%quantities = c_loc(list)
  end subroutine

  subroutine tell_point_single(opt, x, objective, constraints, outcome, id, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(in) :: x(:), objective
    real(c_double), intent(in), optional :: constraints(:)
    integer(c_int), intent(in), optional :: outcome
    integer(c_int64_t), intent(out), optional :: id
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    call tell_point(opt, x, [objective], .false., constraints, outcome, id, ierr, quantities)
  end subroutine

  subroutine tell_point_several(opt, x, objectives, constraints, outcome, id, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(in) :: x(:), objectives(:)
    real(c_double), intent(in), optional :: constraints(:)
    integer(c_int), intent(in), optional :: outcome
    integer(c_int64_t), intent(out), optional :: id
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    call tell_point(opt, x, objectives, .true., constraints, outcome, id, ierr, quantities)
  end subroutine

  subroutine tell_point(opt, x, objectives, several, constraints, outcome, id, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(in) :: x(:), objectives(:)
    logical, intent(in) :: several
    real(c_double), intent(in), optional :: constraints(:)
    integer(c_int), intent(in), optional :: outcome
    integer(c_int64_t), intent(out), optional :: id
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    real(c_double), target :: values(count_constraints(opt)), goals(size(objectives))
    type(text), allocatable, target :: names(:)
    type(c_quantity), allocatable, target :: list(:)
    type(c_result) :: evaluated
    integer(c_int64_t) :: number
    integer(c_int) :: code
    number = -1
    goals = objectives
    call check_order(opt, code)
    call compare_shapes("x(variables)", shape(x), [count_variables(opt)], code)
    if (code == 0) call make_result(opt, goals, several, constraints, outcome, quantities, values, names, list, &
                                    evaluated, code)
    if (code == 0) call make(opt, code)
    if (code == 0) code = optimizer_tell_point(opt%handle, x, evaluated, number)
    if (present(id)) id = number
    call settle(code, ierr)
  end subroutine

  ! Discard an evaluation, with or without a result. It no longer counts, and its point may be proposed again. The next
  ! points are those of an optimiser that was told only the remaining results, in their order.
  !
  ! Collective; the same on all ranks.
  !
  ! ierr  0 = done; without it an error ends the program
  subroutine gannet_discard(opt, id, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int64_t), intent(in) :: id
    integer, intent(out), optional :: ierr
    integer(c_int) :: code
    call check_order(opt, code)
    if (code == 0) call make(opt, code)
    if (code == 0) code = optimizer_discard(opt%handle, id)
    call settle(code, ierr)
  end subroutine

  subroutine correct_single(opt, id, objective, constraints, outcome, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int64_t), intent(in) :: id
    real(c_double), intent(in) :: objective
    real(c_double), intent(in), optional :: constraints(:)
    integer(c_int), intent(in), optional :: outcome
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    call correct(opt, id, [objective], .false., constraints, outcome, ierr, quantities)
  end subroutine

  subroutine correct_several(opt, id, objectives, constraints, outcome, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int64_t), intent(in) :: id
    real(c_double), intent(in) :: objectives(:)
    real(c_double), intent(in), optional :: constraints(:)
    integer(c_int), intent(in), optional :: outcome
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    call correct(opt, id, objectives, .true., constraints, outcome, ierr, quantities)
  end subroutine

  subroutine correct(opt, id, objectives, several, constraints, outcome, ierr, quantities)
    type(gannet_optimizer), intent(inout) :: opt
    integer(c_int64_t), intent(in) :: id
    real(c_double), intent(in) :: objectives(:)
    logical, intent(in) :: several
    real(c_double), intent(in), optional :: constraints(:)
    integer(c_int), intent(in), optional :: outcome
    integer, intent(out), optional :: ierr
    type(gannet_quantity), intent(in), optional, target :: quantities(:)
    real(c_double), target :: values(count_constraints(opt)), goals(size(objectives))
    type(text), allocatable, target :: names(:)
    type(c_quantity), allocatable, target :: list(:)
    type(c_result) :: evaluated
    integer(c_int) :: code
    goals = objectives
    call check_order(opt, code)
    if (code == 0) call make_result(opt, goals, several, constraints, outcome, quantities, values, names, list, &
                                    evaluated, code)
    if (code == 0) call make(opt, code)
    if (code == 0) code = optimizer_correct(opt%handle, id, evaluated)
    call settle(code, ierr)
  end subroutine

  ! The best evaluation so far; x(variables). feasible is .false. if no evaluation satisfies all constraints; this one
  ! then violates them least. id is -1 if nothing was evaluated successfully. With the setting replicates it is the
  ! design with the best mean over its runs, and that mean. runs is the number of runs in the mean, and error its
  ! standard error; of a single run, error is its reported standard deviation, or NaN if unknown. With several
  ! objectives it is the best in the first one; gannet_front returns the whole front.
  !
  ! Collective when it is the first call after gannet_begin, otherwise local.
  subroutine gannet_best(opt, x, objective, feasible, id, runs, error)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(out) :: x(:), objective
    logical, intent(out) :: feasible
    integer(c_int64_t), intent(out), optional :: id
    integer, intent(out), optional :: runs
    real(c_double), intent(out), optional :: error
    type(c_best) :: best
    integer(c_int) :: code
    real(c_double) :: point(count_variables(opt))
    point = 0
    call check_order(opt, code)
    call compare_shapes("x(variables)", shape(x), shape(point), code)
    if (code == 0) call make(opt, code)
    call settle(code)
    call optimizer_best(opt%handle, best, point)
    x = point
    objective = best%objective
    feasible = best%feasible /= 0
    if (present(id)) id = best%id
    if (present(runs)) runs = int(best%runs)
    if (present(error)) error = best%error
  end subroutine

  ! A quantity that was told with the result of a point, by its name: "objective", the name of one of several objectives, of
  ! a constraint, or of another quantity. value is NaN if there is none.
  !
  ! Local.
  subroutine gannet_get_quantity(opt, id, name, value, sd, ierr)
    type(gannet_optimizer), intent(in) :: opt
    integer(c_int64_t), intent(in) :: id
    character(len=*), intent(in) :: name
    real(c_double), intent(out) :: value
    real(c_double), intent(out), optional :: sd
    integer, intent(out), optional :: ierr
    type(c_quantity) :: found
    integer(c_int) :: code
    call forget_refusal()
    found%value = ieee_value(0.0_c_double, ieee_quiet_nan)
    found%sd = 0
    code = 0
    if (.not. c_associated(opt%handle)) then
      refused = "no evaluation was asked for or told yet, or gannet_end was called since"
      code = err_state
    end if
    if (code == 0) code = optimizer_quantity(opt%handle, id, trim(name) // c_null_char, found)
    value = found%value
    if (present(sd)) sd = found%sd
    call settle(code, ierr)
  end subroutine

  ! The numbers of evaluations: pending (asked for and not told yet), with results, of these feasible ones, those at
  ! which the simulation cannot work, and failed ones.
  !
  ! Local.
  subroutine gannet_count(opt, pending, done, feasible, cannot_run, failed)
    type(gannet_optimizer), intent(in) :: opt
    integer(c_int64_t), intent(out), optional :: pending, done, feasible, cannot_run, failed
    type(c_counts) :: counts
    call optimizer_count(opt%handle, counts)
    if (present(pending)) pending = counts%pending
    if (present(done)) done = counts%done
    if (present(feasible)) feasible = counts%feasible
    if (present(cannot_run)) cannot_run = counts%cannot_run
    if (present(failed)) failed = counts%failed
  end subroutine

  ! The recommended evaluation, for noisy values: the one at which a model of all results has the best mean. x(variables)
  ! is the design. There are also the mean, its uncertainty, and the standard deviation of the noise: the given one, or
  ! that of the model. The best value seen is the luckiest one. With fewer than four results there is no model: it is the
  ! best value seen, with the noise as its uncertainty, NaN if unknown. id is -1 if no evaluation is feasible.
  !
  ! Collective.
  subroutine gannet_recommend(opt, x, mean, sd, noise, id, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(out) :: x(:), mean
    real(c_double), intent(out), optional :: sd, noise
    integer(c_int64_t), intent(out), optional :: id
    integer, intent(out), optional :: ierr
    type(c_recommendation) :: found
    integer(c_int) :: code
    real(c_double) :: point(count_variables(opt))
    point = 0
    found%id = -1
    x = 0
    call check_order(opt, code)
    call compare_shapes("x(variables)", shape(x), shape(point), code)
    if (code == 0) call make(opt, code)
    if (code == 0) code = optimizer_recommend(opt%handle, found, point)
    if (code == 0) x = point
    mean = found%mean
    if (present(sd)) sd = found%sd
    if (present(noise)) noise = found%noise_sd
    if (present(id)) id = found%id
    call settle(code, ierr)
  end subroutine

  ! Predictions of the models of the next gannet_ask at designs x(variables, points), without any simulation. For each
  ! quantity, first the objectives and then the constraints in their order, there are the mean without the noise of a single
  ! value, and its standard deviation. For a transformed quantity the mean is the median, and sd half the distance between
  ! the values one deviation above and below. Each call costs a fit, so give all designs at once.
  !
  ! Collective; the same on all ranks.
  !
  ! mean      mean(objectives + constraints, points), in the units of the quantities
  ! sd        sd(objectives + constraints, points)
  ! kept      kept(constraints, points), the probability that a constraint is satisfied
  ! feasible  feasible(points), the probability that the simulation works and all constraints are satisfied
  ! can_run   can_run(points), the probability that the simulation works
  ! ierr      0 = done; without it an error ends the program, as for a design outside the ranges of the variables,
  !           with fewer than four results, and where all results are equal (unless penalties: no)
  subroutine gannet_predict(opt, x, mean, sd, kept, feasible, can_run, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(in) :: x(:, :)
    real(c_double), intent(out) :: mean(:, :)
    real(c_double), intent(out), optional :: sd(:, :), kept(:, :), feasible(:), can_run(:)
    integer, intent(out), optional :: ierr
    type(c_prediction) :: found(count_objectives(opt) + count_constraints(opt), size(x, 2))
    type(c_feasibility) :: whole(size(x, 2))
    integer(c_int) :: code
    integer :: n
    n = size(x, 2)
    mean = 0
    call check_order(opt, code)
    call compare_shapes("x(variables, points)", shape(x), [count_variables(opt), n], code)
    call compare_shapes("mean(objectives + constraints, points)", shape(mean), shape(found), code)
    if (present(sd)) call compare_shapes("sd(objectives + constraints, points)", shape(sd), shape(found), code)
    if (present(kept)) call compare_shapes("kept(constraints, points)", shape(kept), [count_constraints(opt), n], code)
    if (present(feasible)) call compare_shapes("feasible(points)", shape(feasible), [n], code)
    if (present(can_run)) call compare_shapes("can_run(points)", shape(can_run), [n], code)
    if (code == 0) call make(opt, code)
    if (code == 0) code = optimizer_predict(opt%handle, int(n, c_int), x, found, whole)
    if (code == 0) then
      mean = found%mean
      if (present(sd)) sd = found%sd
      if (present(kept)) kept = found(count_objectives(opt) + 1:, :)%kept
      if (present(feasible)) feasible = whole%feasible
      if (present(can_run)) can_run = whole%can_run
    end if
    call settle(code, ierr)
  end subroutine

  subroutine tell_related_single(opt, x, objective, ierr, constraints)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(in) :: x(:, :), objective(:)
    integer, intent(out), optional :: ierr
    real(c_double), intent(in), optional :: constraints(:, :)
    integer(c_int) :: code
    call check_order(opt, code)
    call compare_shapes("objective(points)", shape(objective), [size(x, 2)], code)
    call tell_related(opt, x, reshape(objective, [1, size(objective)]), .false., constraints, code, ierr)
  end subroutine

  subroutine tell_related_several(opt, x, objectives, ierr, constraints)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(in) :: x(:, :), objectives(:, :)
    integer, intent(out), optional :: ierr
    real(c_double), intent(in), optional :: constraints(:, :)
    integer(c_int) :: code
    call check_order(opt, code)
    call compare_shapes("objectives(objectives, points)", shape(objectives), [count_objectives(opt), size(x, 2)], code)
    call tell_related(opt, x, objectives, .true., constraints, code, ierr)
  end subroutine

  ! several  the objectives are told as an array, not as the only one
  ! code     /= 0: something is wrong already
  subroutine tell_related(opt, x, objectives, several, constraints, code, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    real(c_double), intent(in) :: x(:, :), objectives(:, :)
    logical, intent(in) :: several
    real(c_double), intent(in), optional :: constraints(:, :)
    integer(c_int), intent(inout) :: code
    integer, intent(out), optional :: ierr
    real(c_double), allocatable, target :: values(:, :), goals(:, :)
    type(c_result) :: results(size(objectives, 2))
    integer :: i, n
    n = size(x, 2)
    call compare_shapes("x(variables, points)", shape(x), [count_variables(opt), n], code)
    if (present(constraints)) call compare_shapes("constraints(constraints, points)", shape(constraints), &
                                                  [count_constraints(opt), n], code)
    if (code == 0) call make(opt, code)
    if (present(constraints)) values = constraints
    goals = objectives
    do i = 1, size(results)
      results(i) = c_result(0_c_int64_t, gannet_partial, 0.0_c_double, c_null_ptr, 0, c_null_ptr)
      if (several) then
        results(i)%objectives = c_loc(goals(1, i))
      else
        results(i)%objective = goals(1, i)
      end if
      if (code == 0 .and. present(constraints) .and. count_constraints(opt) > 0) results(i)%constraints = c_loc(values(1, i))
    end do
    if (code == 0) code = optimizer_tell_related(opt%handle, int(n, c_int), x, results)
    call settle(code, ierr)
  end subroutine

  ! Write the state of an optimiser to a file, which is complete or absent at any moment. An earlier file at the path
  ! becomes PATH.1.
  !
  ! Collective; the same on all ranks.
  !
  ! ierr  0 = done; without it an error ends the program
  subroutine gannet_save(opt, path, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: ierr
    integer(c_int) :: code
    call check_order(opt, code)
    if (code == 0) call make(opt, code)
    if (code == 0) code = optimizer_save(opt%handle, trim(path) // c_null_char)
    call settle(code, ierr)
  end subroutine

  ! Continue from a file of gannet_save; call it before the first gannet_ask. With the same variables, constraints, settings
  ! and seed the points are those of an optimiser without the interruption, on any number of ranks. gannet_pending returns
  ! the points without a result.
  !
  ! Collective; the same on all ranks.
  !
  ! ierr  0 = done; without it an error ends the program, as for a file that is damaged, of a later version, or of another
  !       problem, method or seed
  subroutine gannet_load(opt, path, ierr)
    type(gannet_optimizer), intent(inout) :: opt
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: ierr
    integer(c_int) :: code
    call check_order(opt, code)
    if (code == 0) call make(opt, code)
    if (code == 0) code = optimizer_load(opt%handle, trim(path) // c_null_char)
    call settle(code, ierr)
  end subroutine

  ! The points without a result: id(points) and x(variables, points) are allocated.
  !
  ! Local.
  subroutine gannet_pending(opt, id, x)
    type(gannet_optimizer), intent(in) :: opt
    integer(c_int64_t), allocatable, intent(out) :: id(:)
    real(c_double), allocatable, intent(out) :: x(:, :)
    integer(c_int64_t) :: n, no_id(1)
    real(c_double) :: no_x(1)
    n = optimizer_pending(opt%handle, 0_c_int64_t, no_id, no_x)
    allocate (id(n), x(count_variables(opt), n))
    n = optimizer_pending(opt%handle, n, id, x)
  end subroutine

  ! The front: the feasible points that no other one dominates. A point dominates another one if it is at least as good in
  ! every objective and better in one. Of points that are equal in every objective the front has the first. id(points),
  ! x(variables, points) and objectives(objectives, points) are allocated.
  !
  ! Local.
  !
  ! hypervolume  of the front up to the reference; NaN if it is larger than any number
  ! reference    reference(objectives): the thresholds, or from the results
  ! ierr         0 = done; without it an error ends the program
  subroutine gannet_front(opt, id, x, objectives, hypervolume, reference, ierr)
    type(gannet_optimizer), intent(in) :: opt
    integer(c_int64_t), allocatable, intent(out) :: id(:)
    real(c_double), allocatable, intent(out) :: x(:, :), objectives(:, :)
    real(c_double), intent(out), optional :: hypervolume, reference(:)
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: n, no_id(1)
    real(c_double) :: no_x(1), no_y(1), volume, beyond(count_objectives(opt))
    integer(c_int) :: code
    call forget_refusal()
    code = 0
    volume = 0
    beyond = ieee_value(0.0_c_double, ieee_quiet_nan)
    if (present(reference)) call compare_shapes("reference(objectives)", shape(reference), shape(beyond), code)
    n = 0
    if (code == 0) n = optimizer_front(opt%handle, 0_c_int64_t, no_id, no_x, no_y, beyond, volume)
    allocate (id(max(n, 0_c_int64_t)), x(count_variables(opt), max(n, 0_c_int64_t)))
    allocate (objectives(count_objectives(opt), max(n, 0_c_int64_t)))
    if (n > 0) n = optimizer_front(opt%handle, n, id, x, objectives, beyond, volume)
    if (n < 0) code = err_memory
    if (present(hypervolume)) hypervolume = volume
    if (present(reference) .and. code == 0) reference = beyond
    call settle(code, ierr)
  end subroutine

  ! Free everything.
  !
  ! Collective.
  subroutine gannet_end(opt)
    type(gannet_optimizer), intent(inout) :: opt
    integer :: i
    call optimizer_destroy(opt%handle)
    call problem_destroy(opt%problem)
    call context_destroy(opt%context)
    if (allocated(opt%variables)) deallocate (opt%variables) ! nothing can be added any more
    if (.not. allocated(opt%functions)) return
    do i = 1, size(opt%functions)
      deallocate (opt%functions(i)%entry)
    end do
    deallocate (opt%functions)
  end subroutine

end module
