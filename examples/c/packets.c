// A driver that sends queued packets under a spin lock, after the example with which device drivers came to model checking:
// the lock is given up while a packet is processed, and whether it was is known only from a counter. Row driver.c of
// [Lazy], table 1.
// expect: safe

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

enum { STATUS_SUCCESS = 0, STATUS_UNSUCCESSFUL = -1 };

struct packet {
  int status;
  int information;
};

struct device {
  unsigned queued;
  unsigned sent;
};

static struct device device;

// The monitor: what the specification says of the lock.
static int locked;

static void acquire_spin_lock(void) {
  if (locked)
    goto ERROR;
  locked = 1;
  return;
ERROR:
  reach_error();
}

static void release_spin_lock(void) {
  if (!locked)
    goto ERROR;
  locked = 0;
  return;
ERROR:
  reach_error();
}

static int next_packet(struct device *d, struct packet *p) {
  if (d->queued == 0)
    return 0;
  d->queued--;
  p->status = STATUS_UNSUCCESSFUL;
  p->information = __VERIFIER_nondet_int();
  return 1;
}

static void complete(struct packet *p) {
  if (p->information > 0) {
    p->status = STATUS_SUCCESS;
  } else {
    p->status = STATUS_UNSUCCESSFUL;
    p->information = 0;
  }
}

static void send_all(void) {
  struct packet packet;
  unsigned packets = __VERIFIER_nondet_int(), packets_before;

  do {
    acquire_spin_lock();
    packets_before = packets;
    if (next_packet(&device, &packet)) {
      release_spin_lock();
      complete(&packet);
      device.sent++;
#ifndef FORGET_COUNT
      packets++;
#endif
    }
  } while (packets != packets_before);
#ifndef KEEP_LOCK
  release_spin_lock();
#endif
}

static void enqueue(void) {
  acquire_spin_lock();
  if (device.queued < 16)
    device.queued++;
  release_spin_lock();
}

int main(void) {
  while (__VERIFIER_nondet_bool()) {
    if (__VERIFIER_nondet_bool())
      enqueue();
    else
      send_all();
  }
  return 0;
}
