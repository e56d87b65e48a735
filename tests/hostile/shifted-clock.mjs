// Loaded into a node before anything else (--import): its clock is wrong by so many milliseconds, and SIGUSR2 puts it wrong
// by so many others.
let shift = Number(process.env.CLOCK_SHIFT)
const RealDate = Date

process.on('SIGUSR2', () => {
  shift = Number(process.env.CLOCK_JUMP)
})

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift)
    else super(...given)
  }

  static now() {
    return RealDate.now() + shift
  }
}
