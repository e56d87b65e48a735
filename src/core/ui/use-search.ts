import { useEffect, useState } from 'react'
import type { SearchResult } from '../module-ui'

interface Found {
  /** The text that these are the results of. */
  text: string
  groups: { title: string; results: SearchResult[] }[]
  isComplete: boolean
}

const nothing: Found = { text: '', groups: [], isComplete: true }

/** The results for a text, once the user pauses. The previous ones stay until the next ones arrive. */
export function useSearch(text: string): Found & { isLoading: boolean } {
  const [found, setFound] = useState(nothing)
  useEffect(() => {
    if (text === '') return
    const controller = new AbortController()
    const load = async () => {
      try {
        const response = await fetch(`/api/search?q=${encodeURIComponent(text)}`, { signal: controller.signal })
        if (!response.ok) throw new Error(`status ${response.status}`)
        setFound({ ...(await response.json()), text })
      } catch {
        if (!controller.signal.aborted) setFound({ ...nothing, text, isComplete: false })
      }
    }
    const timer = setTimeout(load, 150)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text])
  return text === '' ? { ...nothing, isLoading: false } : { ...found, isLoading: found.text !== text }
}
