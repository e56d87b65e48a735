import { ImageResponse } from 'next/og'
import { lightColors } from '@/brand'

export const size = { width: 180, height: 180 }
export const contentType = 'image/png'

const { card, muted, primary, text } = lightColors
const blocks = [
  { width: 42, height: 54, backgroundColor: primary },
  { width: 72, height: 21, backgroundColor: muted },
  { width: 108, height: 27, backgroundColor: text },
]

/** The icon of the app on the home screen of a phone. */
export default function AppleIcon() {
  const column = { display: 'flex', flexDirection: 'column', alignItems: 'center', justifyContent: 'center' } as const
  return new ImageResponse(
    <div style={{ ...column, gap: 9, width: '100%', height: '100%', backgroundColor: card }}>
      {blocks.map((style) => (
        <div key={style.width} style={style} />
      ))}
    </div>,
    size,
  )
}
