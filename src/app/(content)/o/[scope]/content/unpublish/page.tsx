export { default, metadata } from '../../../../content/unpublish/page'
