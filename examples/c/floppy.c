// A floppy driver: a thread takes requests from a queue that a dispatch routine fills, under a spin lock; a mutex guards the
// controller. Locks are taken in one order, never twice, and none is held when the thread sleeps or the driver returns to
// the kernel. Row floppy.c of [Lazy], table 1, which checks the locking discipline.
// expect: safe

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

enum status { STATUS_SUCCESS, STATUS_PENDING, STATUS_INVALID, STATUS_NO_MEDIA, STATUS_IO_ERROR, STATUS_WRITE_PROTECTED };
enum function { READ, WRITE, FORMAT, VERIFY, GET_GEOMETRY, EJECT };
enum power { POWER_OFF, POWER_ON };

#define QUEUE 4
#define RETRIES 3
#define TRACKS 80
#define SECTORS 18

struct request {
  enum function function;
  int sector;
  int count;
  enum status status;
};

struct drive {
  int motor;
  int track;
  int media_present;
  int media_changed;
  int write_protected;
  int sectors_per_track;
};

struct device {
  enum power power;
  int stopping;
  int waiting;
  int next;
  struct drive drive;
};

static struct request queue[QUEUE];
static struct device device;

// ---- the monitor of the specification ----

static int queue_lock;
static int controller;

static void check(int condition) {
  if (!condition)
    goto ERROR;
  return;
ERROR:
  reach_error();
}

static void acquire_spin_lock(int *lock) {
  check(*lock == 0);
  *lock = 1;
}

static void release_spin_lock(int *lock) {
  check(*lock == 1);
  *lock = 0;
}

// The mutex may be waited for: not with a spin lock held.
static void wait_for_mutex(int *mutex) {
  check(queue_lock == 0);
  check(*mutex == 0);
  *mutex = 1;
}

static void release_mutex(int *mutex) {
  check(*mutex == 1);
  *mutex = 0;
}

static void wait_for_interrupt(void) {
  check(queue_lock == 0);
}

static void back_to_the_kernel(void) {
  check(queue_lock == 0);
  check(controller == 0);
}

// ---- the controller ----

static int issue_command(int parameters) {
  int sent = 0;
  check(controller == 1);
  while (sent < parameters) {
    if (__VERIFIER_nondet_bool())
      return 0;
    sent++;
  }
  return 1;
}

static void turn_motor_on(struct drive *d) {
  if (!d->motor) {
    issue_command(1);
    wait_for_interrupt();
    d->motor = 1;
  }
}

static int recalibrate(struct drive *d) {
  if (!issue_command(2))
    return 0;
  wait_for_interrupt();
  d->track = 0;
  return 1;
}

static int seek(struct drive *d, int track) {
  int tries;
  if (track < 0 || track >= TRACKS)
    return 0;
  for (tries = 0; tries < RETRIES; tries++) {
    if (d->track == track)
      return 1;
    if (issue_command(3)) {
      wait_for_interrupt();
      if (__VERIFIER_nondet_bool())
        d->track = track;
    } else if (!recalibrate(d)) {
      return 0;
    }
  }
  return d->track == track;
}

static enum status check_media(struct drive *d) {
  if (!d->media_present)
    return STATUS_NO_MEDIA;
  if (d->media_changed) {
    if (!recalibrate(d))
      return STATUS_IO_ERROR;
    d->media_changed = 0;
    d->sectors_per_track = SECTORS;
  }
  return STATUS_SUCCESS;
}

// ---- the work of the thread ----

static enum status transfer(struct drive *d, struct request *r) {
  int sector = r->sector, end = r->sector + r->count;
  if (r->sector < 0 || r->count <= 0 || r->count > TRACKS * SECTORS - r->sector)
    return STATUS_INVALID;
  if (r->function == WRITE && d->write_protected)
    return STATUS_WRITE_PROTECTED;
  turn_motor_on(d);
  while (sector < end) {
    if (!seek(d, sector / SECTORS))
      return STATUS_IO_ERROR;
    if (!issue_command(9))
      return STATUS_IO_ERROR;
    wait_for_interrupt();
    sector++;
  }
  return STATUS_SUCCESS;
}

static enum status format(struct drive *d) {
  int track;
  if (d->write_protected)
    return STATUS_WRITE_PROTECTED;
  turn_motor_on(d);
  for (track = 0; track < TRACKS; track++) {
    if (!seek(d, track) || !issue_command(6))
      return STATUS_IO_ERROR;
    wait_for_interrupt();
  }
  return STATUS_SUCCESS;
}

static enum status process(struct device *dev, struct request *r) {
  enum status status;
  wait_for_mutex(&controller);
  if (dev->power == POWER_OFF) {
#ifndef KEEP_CONTROLLER
    release_mutex(&controller);
#endif
    return STATUS_INVALID;
  }
  status = check_media(&dev->drive);
  if (status == STATUS_SUCCESS) {
    switch (r->function) {
    case READ:
    case WRITE:
    case VERIFY:
      status = transfer(&dev->drive, r);
      break;
    case FORMAT:
      status = format(&dev->drive);
      break;
    case GET_GEOMETRY:
      break;
    case EJECT:
      dev->drive.media_present = 0;
      dev->drive.motor = 0;
      break;
    default:
      status = STATUS_INVALID;
    }
  }
  release_mutex(&controller);
  return status;
}

/// The thread: takes requests until the queue is empty. The lock is held while it looks, not while it works.
static void thread(struct device *dev) {
  acquire_spin_lock(&queue_lock);
  while (dev->waiting > 0) {
    struct request *r = &queue[dev->next];
    dev->waiting--;
    dev->next = (dev->next + 1) % QUEUE;
#ifndef WORK_WITH_LOCK
    release_spin_lock(&queue_lock);
#endif
    r->status = process(dev, r);
#ifdef WORK_WITH_LOCK
    release_spin_lock(&queue_lock);
#endif
    acquire_spin_lock(&queue_lock);
  }
  release_spin_lock(&queue_lock);
}

// ---- dispatch ----

static enum status enqueue(struct device *dev, enum function function) {
  struct request *r;
  acquire_spin_lock(&queue_lock);
  if (dev->stopping || dev->waiting >= QUEUE) {
#ifndef RETURN_WITH_LOCK
    release_spin_lock(&queue_lock);
#endif
    return STATUS_INVALID;
  }
  r = &queue[(dev->next + dev->waiting) % QUEUE];
  r->function = function;
  r->sector = __VERIFIER_nondet_int();
  r->count = __VERIFIER_nondet_int();
  r->status = STATUS_PENDING;
  dev->waiting++;
  release_spin_lock(&queue_lock);
  return STATUS_PENDING;
}

static enum status geometry(struct device *dev) {
  enum status status;
  wait_for_mutex(&controller);
  status = dev->drive.media_present ? STATUS_SUCCESS : STATUS_NO_MEDIA;
  release_mutex(&controller);
  return status;
}

static enum status set_power(struct device *dev, enum power power) {
  wait_for_mutex(&controller);
  if (power == POWER_OFF) {
    dev->drive.motor = 0;
    dev->drive.media_changed = 1;
  }
  dev->power = power;
  release_mutex(&controller);
  return STATUS_SUCCESS;
}

static enum status stop(struct device *dev) {
  acquire_spin_lock(&queue_lock);
  dev->stopping = 1;
  release_spin_lock(&queue_lock);
  thread(dev);
  return STATUS_SUCCESS;
}

static enum status dispatch(struct device *dev, unsigned char code) {
  switch (code % 8) {
  case 0:
    return set_power(dev, POWER_ON);
  case 1:
    return set_power(dev, POWER_OFF);
  case 2:
    return geometry(dev);
  case 3:
    return stop(dev);
  case 4:
    thread(dev);
    return STATUS_SUCCESS;
  case 5:
    dev->drive.media_present = 1;
    dev->drive.media_changed = 1;
    dev->drive.write_protected = __VERIFIER_nondet_bool();
    return STATUS_SUCCESS;
  default:
    return enqueue(dev, __VERIFIER_nondet_uchar() % 6);
  }
}

int main(void) {
  while (__VERIFIER_nondet_bool()) {
    dispatch(&device, __VERIFIER_nondet_uchar());
    back_to_the_kernel();
  }
  stop(&device);
  back_to_the_kernel();
  return 0;
}
