// Names and brackets that C allows and few programs have.
int $x = 1;
int a$b(int $y) { return $y + $x; }
int größe(int é) { return é + 1; }

int digraphs(void) <%
  int a<:2:> = <% 3, 4 %>;
  return a<:0:> + a<:1:>;
%>

int main(void) {
  int \u00e4 = 2;
  if (a$b(2) != 3) return 1;
  if (größe(1) != \u00e4) return 2;
  if (digraphs() != 7) return 3;
  return 0;
}
