extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && !(sizeof(u"\U0001F600") == 6 && u"\U0001F600"[0] == 0xd83d && u"\U0001F600"[1] == 0xde00 && u'\U0001F600' == 0xde00)) reach_error();
  return 0;
}
