import { darkColors, lightColors } from '@/brand'

export const contentType = 'image/svg+xml'

const fills = ({ primary, muted, text }: typeof lightColors) => `.a{fill:${primary}}.b{fill:${muted}}.c{fill:${text}}`

/** The icon in the tab of a browser, in the colors of its theme. */
export default function Icon() {
  const style = `${fills(lightColors)}@media (prefers-color-scheme:dark){${fills(darkColors)}}`
  const paths =
    '<path class="a" d="M8.5 2h7v9h-7z"/><path class="b" d="M6 12.5h12V16H6z"/><path class="c" d="M3 17.5h18V22H3z"/>'
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>${style}</style>${paths}</svg>`
  return new Response(svg, { headers: { 'Content-Type': contentType } })
}
