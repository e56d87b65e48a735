'use client'

import { type ComponentProps, useEffect, useId, useState } from 'react'
import { listUsers } from '../actions'

/** A field for finding people. While somebody types, the browser offers the first addresses that begin so. */
export function SearchField(props: Omit<ComponentProps<'input'>, 'list' | 'onChange'>) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [offers, setOffers] = useState<{ id: string; name: string; email: string }[]>([])
  useEffect(() => {
    if (typed.trim().length < 2) return
    let isWanted = true
    // Every look at the list is written down: not one for each letter.
    const timer = setTimeout(async () => {
      const answer = await listUsers({ search: typed, limit: 6 })
      if (isWanted && answer.ok) setOffers(answer.data.users)
    }, 250)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [typed])
  return (
    <>
      <input type="search" list={id} onChange={({ target }) => setTyped(target.value)} {...props} />
      <datalist id={id}>
        {offers.map((person) => (
          <option key={person.id} value={person.email}>
            {person.name}
          </option>
        ))}
      </datalist>
    </>
  )
}
