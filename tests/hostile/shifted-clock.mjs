// Loaded into a node before anything else (--import): its clock is wrong by so many milliseconds.
const shift = Number(process.env.CLOCK_SHIFT)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift)
    else super(...given)
  }

  static now() {
    return RealDate.now() + shift
  }
}
