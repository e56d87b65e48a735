export { default, metadata } from '../../../content/page'
