'use client'

import { useEffect, useState } from 'react'
import { SubmitButton, useResult } from './form'

const pauseSeconds = 30

const waiting = { 'aria-disabled': true, onClick: (event: { preventDefault(): void }) => event.preventDefault() }

/**
 * Submits the form again, after a pause that it counts down, because an email takes a while to arrive. Without JavaScript there is
 * no pause; the action has its limits anyway.
 */
export function ResendButton() {
  const result = useResult()
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (!result?.ok) return
    const end = Date.now() + pauseSeconds * 1000
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)))
    tick()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [result])
  return (
    <SubmitButton variant="outline" size="form" {...(left > 0 && waiting)}>
      {left > 0 ? `Resend in ${left} ${left === 1 ? 'second' : 'seconds'}` : 'Resend'}
    </SubmitButton>
  )
}
