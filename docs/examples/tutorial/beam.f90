! A beam under its own weight on two supports: its largest deflection, by finite elements.
program beam
  implicit none
  integer, parameter :: dp = kind(1d0), n = 200, size = 2 * (n + 1)
  real(dp), parameter :: length = 4, stiffness = 2e4_dp, weight = 100, hold = 1e9_dp  ! m, N m^2, N/m, N/m
  real(dp) :: k(size, size), f(size), left, right, h
  character(len=1024) :: params, results
  integer :: e, out

  call get_command_argument(1, params)
  call get_command_argument(2, results)
  call read_params(trim(params), left, right)
  open (newunit=out, file=trim(results), action="write")
  if (right - left < 0.2_dp) then
    write (out, "(a)") "fail the supports are less than 20 cm apart"
    stop
  end if

  h = length / n
  k = 0
  f = 0
  do e = 1, n
    call add_element(2 * e - 1)
  end do
  call add_support(left)
  call add_support(right)
  call solve(k, f)
  write (out, "(a, es24.16)") "objective", 1000 * maxval(abs(f(1::2)))  ! mm
  close (out)

contains

  subroutine read_params(file, left, right)
    character(len=*), intent(in) :: file
    real(dp), intent(out) :: left, right
    character(len=32) :: name
    real(dp) :: value
    integer :: in, status
    left = -1
    right = -1
    open (newunit=in, file=file, action="read", status="old")
    do
      read (in, *, iostat=status) name, value
      if (status /= 0) exit
      if (name == "left") left = value
      if (name == "right") right = value
    end do
    close (in)
  end subroutine

  subroutine add_element(i)  ! Hermite cubics: deflection and slope at both ends
    integer, intent(in) :: i
    real(dp) :: s(4, 4)
    s(1, :) = [12d0, 6 * h, -12d0, 6 * h]
    s(2, :) = [6 * h, 4 * h**2, -6 * h, 2 * h**2]
    s(3, :) = -s(1, :)
    s(4, :) = [6 * h, 2 * h**2, -6 * h, 4 * h**2]
    k(i:i+3, i:i+3) = k(i:i+3, i:i+3) + stiffness / h**3 * s
    f(i:i+3) = f(i:i+3) - weight * h / 12 * [6d0, h, 6d0, -h]
  end subroutine

  subroutine add_support(place)  ! a stiff spring, anywhere in an element
    real(dp), intent(in) :: place
    real(dp) :: t, shape(4)
    integer :: i, row
    i = min(int(place / h), n - 1)
    t = place / h - i
    shape = [1 - 3 * t**2 + 2 * t**3, h * (t - 2 * t**2 + t**3), 3 * t**2 - 2 * t**3, h * (t**3 - t**2)]
    do row = 1, 4
      k(2*i+row, 2*i+1:2*i+4) = k(2*i+row, 2*i+1:2*i+4) + hold * shape(row) * shape
    end do
  end subroutine

  subroutine solve(a, b)  ! Gauss on a band of three beside the diagonal; b becomes the solution
    real(dp), intent(inout) :: a(:, :), b(:)
    integer :: i, j, last
    do i = 1, size
      last = min(i + 3, size)
      do j = i + 1, last
        a(j, i) = a(j, i) / a(i, i)
        a(j, i+1:last) = a(j, i+1:last) - a(j, i) * a(i, i+1:last)
        b(j) = b(j) - a(j, i) * b(i)
      end do
    end do
    do i = size, 1, -1
      last = min(i + 3, size)
      b(i) = (b(i) - dot_product(a(i, i+1:last), b(i+1:last))) / a(i, i)
    end do
  end subroutine
end program
