import { Laptop, MonitorSmartphone, Smartphone, SquareTerminal, Tablet } from 'lucide-react'

const icons = [
  [/iPhone|Android/, Smartphone],
  [/iPad/, Tablet],
  [/^curl\//, SquareTerminal],
  [/Windows|Macintosh|Mac OS X|CrOS|Linux/, Laptop],
] as const

/** The kind of device of a user agent, as a picture. Only for display, beside its name. */
export function DeviceIcon({ userAgent }: { userAgent: string | null }) {
  const Icon = icons.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1] ?? MonitorSmartphone
  return <Icon aria-hidden="true" strokeWidth={1.75} />
}
