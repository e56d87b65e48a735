import type { MetadataRoute } from 'next'
import { appDescription, appName, lightColors } from '@/brand'

export default function manifest(): MetadataRoute.Manifest {
  return {
    name: appName,
    short_name: appName,
    description: appDescription,
    start_url: '/',
    display: 'standalone',
    background_color: lightColors.card,
    theme_color: lightColors.card,
    icons: [
      { src: '/icon', sizes: 'any', type: 'image/svg+xml' },
      { src: '/apple-icon', sizes: '180x180', type: 'image/png' },
    ],
  }
}
