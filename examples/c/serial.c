// A serial driver, simplified: its dispatch routine serves a request at once or leaves it pending, and the rules differ. A
// request that was served is completed, and its status returned; one that is left pending is marked so, queued, not completed
// before an interrupt or a cancellation does it, and STATUS_PENDING is returned. Row read.c of [Lazy], table 1: the property has
// two disjoint branches, which need different predicates.
// expect: safe

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

enum status { STATUS_SUCCESS, STATUS_PENDING, STATUS_CANCELLED, STATUS_INVALID, STATUS_DELETE_PENDING };
enum major { READ, WRITE, FLUSH, SET_BAUD_RATE, PURGE };

#define FIFO 16
#define TIMEOUT 3

struct irp {
  enum major major;
  enum status status;
  int length;
  int information;
  int cancel;
};

struct extension {
  int started;
  int removing;
  // The hardware.
  int received;
  int overrun;
  int divisor;
  int interrupts_enabled;
  // The read that waits.
  struct irp *current_read;
  int bytes_wanted;
  int timer;
  // The write that waits.
  struct irp *current_write;
  int bytes_to_send;
};

static struct extension extension;
static struct irp request;

// The monitor of the specification: what happened to the request.
static int completed;
static int marked_pending;
static int in_dispatch;

static void check(int condition) {
  if (!condition)
    goto ERROR;
  return;
ERROR:
  reach_error();
}

// ---- the kernel, as far as the driver sees it ----

static void io_complete_request(struct irp *irp, enum status status, int information) {
  check(!completed);
  irp->status = status;
  irp->information = information;
  completed = 1;
}

static void io_mark_irp_pending(struct irp *irp) {
  check(!completed);
  check(!marked_pending);
  irp->status = STATUS_PENDING;
  marked_pending = 1;
}

// ---- reads ----

/// Copies what the hardware has received, byte by byte.
static int copy_from_fifo(struct extension *e, int wanted) {
  int copied = 0;
  while (copied < wanted && e->received > 0) {
    e->received--;
    copied++;
  }
  return copied;
}

static enum status finish_read(struct extension *e, struct irp *irp, int copied) {
  enum status status = e->overrun ? STATUS_INVALID : STATUS_SUCCESS;
  e->overrun = 0;
  io_complete_request(irp, status, copied);
  return status;
}

static enum status start_read(struct extension *e, struct irp *irp) {
  int copied;
  if (irp->length <= 0) {
    io_complete_request(irp, STATUS_INVALID, 0);
    return STATUS_INVALID;
  }
  if (e->current_read) {
    // One read at a time; the next one is refused.
    io_complete_request(irp, STATUS_INVALID, 0);
    return STATUS_INVALID;
  }
  copied = copy_from_fifo(e, irp->length);
  if (copied == irp->length)
    return finish_read(e, irp, copied);
  if (irp->cancel) {
    io_complete_request(irp, STATUS_CANCELLED, copied);
    return STATUS_CANCELLED;
  }
#ifndef FORGET_MARK
  io_mark_irp_pending(irp);
#endif
  e->current_read = irp;
  e->bytes_wanted = irp->length - copied;
  e->timer = TIMEOUT;
  e->interrupts_enabled = 1;
  return STATUS_PENDING;
}

// ---- writes ----

/// Sends as much as fits into the hardware's queue.
static int copy_to_fifo(int length) {
  int room = FIFO, sent = 0;
  while (sent < length && room > 0) {
    room--;
    sent++;
  }
  return sent;
}

static enum status start_write(struct extension *e, struct irp *irp) {
  int sent;
  if (irp->length < 0 || e->current_write) {
    io_complete_request(irp, STATUS_INVALID, 0);
    return STATUS_INVALID;
  }
  sent = copy_to_fifo(irp->length);
  if (sent == irp->length) {
    io_complete_request(irp, STATUS_SUCCESS, sent);
#ifdef WRITE_RETURNS_PENDING
    return irp->length == FIFO ? STATUS_PENDING : STATUS_SUCCESS;
#else
    return STATUS_SUCCESS;
#endif
  }
  io_mark_irp_pending(irp);
  e->current_write = irp;
  e->bytes_to_send = irp->length - sent;
  e->interrupts_enabled = 1;
  return STATUS_PENDING;
}

// ---- what is served at once ----

static enum status set_baud_rate(struct extension *e, struct irp *irp) {
  int rate = irp->length;
  if (rate < 75 || rate > 115200) {
    io_complete_request(irp, STATUS_INVALID, 0);
    return STATUS_INVALID;
  }
  e->divisor = 115200 / rate;
  io_complete_request(irp, STATUS_SUCCESS, 0);
  return STATUS_SUCCESS;
}

static enum status flush(struct extension *e, struct irp *irp) {
  if (e->current_write) {
    io_complete_request(irp, STATUS_INVALID, 0);
    return STATUS_INVALID;
  }
  io_complete_request(irp, STATUS_SUCCESS, 0);
  return STATUS_SUCCESS;
}

static enum status purge(struct extension *e, struct irp *irp) {
  e->received = 0;
  e->overrun = 0;
  io_complete_request(irp, STATUS_SUCCESS, 0);
  return STATUS_SUCCESS;
}

// ---- dispatch ----

static enum status dispatch(struct extension *e, struct irp *irp) {
  if (e->removing) {
    io_complete_request(irp, STATUS_DELETE_PENDING, 0);
    return STATUS_DELETE_PENDING;
  }
  if (!e->started) {
    io_complete_request(irp, STATUS_INVALID, 0);
    return STATUS_INVALID;
  }
  switch (irp->major) {
  case READ:
    return start_read(e, irp);
  case WRITE:
    return start_write(e, irp);
  case FLUSH:
    return flush(e, irp);
  case SET_BAUD_RATE:
    return set_baud_rate(e, irp);
  case PURGE:
    return purge(e, irp);
  default:
    io_complete_request(irp, STATUS_INVALID, 0);
    return STATUS_INVALID;
  }
}

// ---- what completes a request later ----

static void interrupt_receive(struct extension *e) {
  if (e->received < FIFO)
    e->received++;
  else
    e->overrun = 1;
  if (e->current_read) {
    int copied = copy_from_fifo(e, e->bytes_wanted);
    e->bytes_wanted -= copied;
    if (e->bytes_wanted <= 0) {
      struct irp *irp = e->current_read;
      e->current_read = 0;
      e->timer = 0;
      finish_read(e, irp, irp->length);
    }
  }
}

static void interrupt_transmit(struct extension *e) {
  if (e->current_write) {
    e->bytes_to_send -= copy_to_fifo(e->bytes_to_send);
    if (e->bytes_to_send <= 0) {
      struct irp *irp = e->current_write;
      e->current_write = 0;
      io_complete_request(irp, STATUS_SUCCESS, irp->length);
    }
  }
}

static void timer_tick(struct extension *e) {
  if (e->timer > 0) {
    e->timer--;
    if (e->timer == 0 && e->current_read) {
      struct irp *irp = e->current_read;
#ifndef TIMER_KEEPS_READ
      e->current_read = 0;
#endif
      io_complete_request(irp, STATUS_SUCCESS, irp->length - e->bytes_wanted);
    }
  }
}

static void cancel(struct extension *e) {
  struct irp *irp = e->current_read;
  if (irp) {
    e->current_read = 0;
    e->timer = 0;
    io_complete_request(irp, STATUS_CANCELLED, 0);
    return;
  }
  irp = e->current_write;
  if (irp) {
    e->current_write = 0;
    io_complete_request(irp, STATUS_CANCELLED, 0);
  }
}

static void start_device(struct extension *e) {
  e->started = 1;
  e->divisor = 12;
}

static void remove_device(struct extension *e) {
  cancel(e);
  e->removing = 1;
  e->interrupts_enabled = 0;
}

// ---- a kernel that exercises the driver ----

/// One request, from its dispatch to its completion.
static void one_request(void) {
  enum status status;
  request.major = __VERIFIER_nondet_uchar() % 8;
  request.length = __VERIFIER_nondet_int();
  request.cancel = __VERIFIER_nondet_bool();
  request.information = 0;
  request.status = STATUS_SUCCESS;
  completed = 0;
  marked_pending = 0;
  in_dispatch = 1;
  status = dispatch(&extension, &request);
  in_dispatch = 0;

  if (status == STATUS_PENDING) {
    // Asynchronous: marked, and not completed.
    check(marked_pending);
    check(!completed);
    while (!completed) {
      switch (__VERIFIER_nondet_uchar() % 4) {
      case 0:
        cancel(&extension);
        break;
      case 1:
        interrupt_transmit(&extension);
        break;
      case 2:
        timer_tick(&extension);
        break;
      default:
        interrupt_receive(&extension);
      }
    }
    check(extension.current_read == 0);
    check(extension.current_write == 0);
  } else {
    // Immediate: completed with the status that is returned, and never marked.
    check(completed);
    check(!marked_pending);
    check(request.status == status);
  }
}

int main(void) {
  if (__VERIFIER_nondet_bool())
    start_device(&extension);
  while (__VERIFIER_nondet_bool()) {
    one_request();
    if (__VERIFIER_nondet_bool())
      interrupt_receive(&extension);
  }
  remove_device(&extension);
  return 0;
}
