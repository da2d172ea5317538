{$mode objfpc}
{ Methods, a constructor, a function within another one, and one that is inlined. }
program Shop;

uses
  sysutils;

type
  TCounter = class
    Total: integer;
    constructor Create(First: integer);
    function Weigh(Item: integer): integer; virtual;
  end;

constructor TCounter.Create(First: integer);
begin
  Total := First;
end;

function TCounter.Weigh(Item: integer): integer;

  function Scaled(Value: integer): integer;
  begin
    Scaled := Value * Total;
  end;

begin
  Weigh := Scaled(Item) + Total;
end;

function Square(Value: integer): integer; inline;
begin
  Square := Value * Value;
end;

var
  Counter: TCounter;
  Item: integer;

begin
  Counter := TCounter.Create(3);
  for Item := 1 to 10 do
    writeln(IntToStr(Counter.Weigh(Item) + Square(Item)));
  Counter.Free;
end.
