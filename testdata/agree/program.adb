--  The Ada program of the agreement matrix: nested subprograms, a generic, an exception handler.
with Ada.Text_IO; use Ada.Text_IO;

procedure Program is
   Bad : exception;

   generic
      type Item is range <>;
   function Twice (Value : Item) return Item;

   function Twice (Value : Item) return Item is
   begin
      return Value + Value;
   end Twice;

   function Twice_Integer is new Twice (Integer);

   function Sum (Last : Integer) return Integer is
      Total : Integer := 0;

      procedure Add (Value : Integer) is
      begin
         if Value = 13 then
            raise Bad;
         end if;
         Total := Total + Twice_Integer (Value);
      end Add;
   begin
      for I in 1 .. Last loop
         begin
            Add (I);
         exception
            when Bad => Total := Total - 1;
         end;
      end loop;
      return Total;
   end Sum;
begin
   Put_Line (Integer'Image (Sum (20)));
end Program;
