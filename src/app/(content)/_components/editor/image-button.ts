/** Marks the button of the toolbar that inserts images. The field for images, which listens to it, may be absent. */
export const imageButton = 'data-insert-image'
