! The Fortran program of the agreement matrix: a module, an internal procedure, an elemental function.
module numbers
  implicit none
contains
  elemental function cube(x) result(y)
    real, intent(in) :: x
    real :: y
    y = x * x * x
  end function cube

  subroutine smooth(values)
    real, intent(inout) :: values(:)
    integer :: i
    do i = 2, size(values) - 1
      values(i) = average(values(i - 1), values(i), values(i + 1))
    end do
  contains
    real function average(a, b, c)
      real, intent(in) :: a, b, c
      average = (a + b + c) / 3.0
    end function average
  end subroutine smooth
end module numbers

program matrix
  use numbers
  implicit none
  real :: values(50)
  integer :: i
  do i = 1, 50
    values(i) = cube(real(i) / 10.0)
  end do
  call smooth(values)
  print *, sum(values)
end program matrix
