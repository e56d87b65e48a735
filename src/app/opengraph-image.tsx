import { ImageResponse } from 'next/og'
import { appDescription, appName, darkColors, lightColors } from '@/brand'

export const alt = appName
export const size = { width: 1200, height: 630 }
export const contentType = 'image/png'

const { canvas, muted, primary, text } = darkColors
const blocks = [
  { width: 70, height: 90, color: primary },
  { width: 120, height: 35, color: muted },
  { width: 180, height: 45, color: text },
]

/** The image of shared links, rendered by the build. The root layout names it. */
export default function OpenGraphImage() {
  return new ImageResponse(
    <div
      style={{
        width: '100%',
        height: '100%',
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'space-between',
        padding: 80,
        color: text,
        backgroundColor: canvas,
        backgroundImage: `radial-gradient(circle at 85% 30%, ${lightColors.primary} 0%, ${canvas} 60%)`,
      }}
    >
      <div style={{ display: 'flex', flexDirection: 'column', alignItems: 'center', gap: 15, width: 180 }}>
        {blocks.map(({ width, height, color }) => (
          <div key={width} style={{ width, height, backgroundColor: color }} />
        ))}
      </div>
      <div style={{ display: 'flex', flexDirection: 'column', gap: 20 }}>
        <div style={{ fontSize: 96, letterSpacing: -4 }}>{appName}</div>
        <div style={{ fontSize: 38, color: muted }}>{appDescription}</div>
      </div>
    </div>,
    size,
  )
}
