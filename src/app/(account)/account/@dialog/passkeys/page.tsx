// The router keeps an open dialog when it goes to a page without one. So this page has one that is empty.
export { default } from '../default'
