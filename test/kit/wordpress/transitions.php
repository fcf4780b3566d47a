<?php
// A plugin of the site: keeps every change of a post's status, in the order in which they come.
add_action('transition_post_status', function ($new, $old, $post) {
    if ($new === $old || $post->post_type !== 'post') return;
    add_post_meta($post->ID, 'test_transition', "$old>$new");
}, 10, 3);
