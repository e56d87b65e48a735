import { Ban, FingerprintPattern, LogIn, Send, ShieldHalf } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonVariants } from '@/core/ui/button'
import { inputClass } from '@/core/ui/control'
import { Feed, FeedItem } from '@/core/ui/feed'
import { content } from '../content'

const { signIn, audit, remove, write } = content.highlights
const looks = {
  role: { icon: ShieldHalf, tone: 'warning' },
  signIn: { icon: LogIn, tone: 'success' },
  suspend: { icon: Ban, tone: 'danger' },
  publish: { icon: Send, tone: 'neutral' },
} as const

/** Four parts of the product, each with a piece of it. The pieces only illustrate: they are hidden from screen readers. */
export function Highlights() {
  return (
    <ul data-slot="bento" className="grid grid-cols-1 gap-3.5">
      <Cell {...signIn}>
        <SignInArt />
      </Cell>
      <Cell {...audit}>
        <div className="rounded-lg bg-card shadow-card">
          <Feed>
            {audit.events.map(({ icon, text, time }) => (
              <FeedItem key={text} {...looks[icon]} time={time}>
                {text}
              </FeedItem>
            ))}
          </Feed>
        </div>
      </Cell>
      <Cell {...remove}>
        <div data-slot="code" className="overflow-hidden whitespace-nowrap rounded-lg p-4 font-mono text-xs leading-6">
          <p>
            <b>$ </b>
            {remove.command}
          </p>
          {remove.output.map((line) => (
            <p key={line}>
              <small>{line}</small>
            </p>
          ))}
        </div>
      </Cell>
      <Cell {...write}>
        <WriteArt />
      </Cell>
    </ul>
  )
}

function Cell({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li className="grid content-start gap-5 overflow-hidden rounded-xl bg-muted p-5 shadow-[inset_0_0_0_1px_var(--border)]">
      <div className="grid gap-1">
        <h3 className="font-semibold text-base">{title}</h3>
        <p className="text-muted-foreground">{text}</p>
      </div>
      <div aria-hidden="true">{children}</div>
    </li>
  )
}

function SignInArt() {
  const [passkey, ...providers] = signIn.methods
  return (
    <div className="mx-auto grid w-full max-w-sm gap-2 rounded-lg bg-card p-4.5 shadow-card">
      <p className="mb-1 font-semibold text-[0.9375rem]">{signIn.heading}</p>
      <span className={buttonVariants({ variant: 'outline' })}>
        <FingerprintPattern />
        {passkey}
      </span>
      <span className="grid grid-cols-2 gap-2">
        {providers.map((provider) => (
          <span key={provider} className={buttonVariants({ variant: 'outline' })}>
            {provider}
          </span>
        ))}
      </span>
      <span className={`${inputClass} content-center text-faint`}>{signIn.placeholder}</span>
    </div>
  )
}

function WriteArt() {
  return (
    <div className="grid rounded-lg bg-card shadow-card sm:grid-cols-2">
      <p className="overflow-hidden whitespace-pre p-4.5 font-mono text-muted-foreground text-xs leading-5">
        {write.source.join('\n')}
      </p>
      <div className="grid content-start gap-2 border-t p-4.5">
        <p className="font-semibold text-lg">{write.heading}</p>
        <p>{write.source[2]}</p>
        <ul className="list-disc ps-4">
          {write.items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}
