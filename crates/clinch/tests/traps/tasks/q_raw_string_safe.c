extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && !(R"(a\nb)"[1] == '\\' && sizeof(R"x(")x") == 2 && sizeof(1.0d) == 8)) reach_error();
  return 0;
}
