// Preloaded into a node (--import): shifts its clock by CLOCK_SHIFT milliseconds; SIGUSR2 changes the shift to
// CLOCK_JUMP.
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
